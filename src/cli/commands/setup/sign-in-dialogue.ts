import { createInterface } from 'node:readline/promises';
import type { SetupDestination } from '../../../agent/setup/join-request.ts';
import type { Output } from '../../output.ts';

export type SignInDialogue = Pick<Extract<SetupDestination, { kind: 'provider' }>, 'showAddress' | 'askCode'>;

/**
 * Guides a person through a sign-in with a browser: on stderr, since stdout is for the result. The code comes from stdin,
 * unless it was given already.
 */
export function signInDialogue({ streams }: Output, code: string | undefined, signal: AbortSignal): SignInDialogue {
  return {
    showAddress: (address) => void streams.error.write(`Sign in with a browser at:\n  ${address}\n`),
    askCode: async (factor) => {
      if (code !== undefined) return code;
      const lines = createInterface({ input: process.stdin, output: streams.error, terminal: false });
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      try {
        return await Promise.race([lines.question(`The code of ${factor}: `, { signal }), ended]);
      } finally {
        lines.close();
      }
    },
  };
}
