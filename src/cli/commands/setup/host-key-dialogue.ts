import { createInterface } from 'node:readline/promises';
import { isKnownHost, knownHosts } from '../../../agent/destination/store/known-hosts.ts';
import type { Output } from '../../output.ts';
import { printable } from '../../text.ts';

const SSH_PORT = 22;

/** Decides about the fingerprint that an SSH server presents. */
export type ConfirmHostKey = (
  server: { readonly host: string; readonly port?: number | undefined },
  fingerprint: string,
) => boolean | Promise<boolean>;

/** Accepts what ssh knows already, and asks a person at a terminal about the rest. */
export function hostKeyDialogue({ json, streams }: Output, signal: AbortSignal): ConfirmHostKey {
  return async ({ host, port = SSH_PORT }, fingerprint) => {
    if (isKnownHost(knownHosts(), host, port, fingerprint)) return true;
    const { error } = streams;
    if (json || !process.stdin.isTTY || error.isTTY !== true) return false;
    error.write(`The host key of ${printable(host)} is ${fingerprint}.\n`);
    const lines = createInterface({ input: process.stdin, output: error });
    try {
      const answer = await lines.question('Is it the right one? Type yes: ', { signal });
      return answer.trim().toLowerCase() === 'yes';
    } finally {
      lines.close();
    }
  };
}
