import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import type { Port } from '../../base/calls/port.ts';
import type { ElectronPort } from '../../base/calls/process-port.ts';

/** A process that accesses the keychain. */
export interface KeychainProcess {
  readonly port: Port;
  /** Kills it: it may be blocked. */
  readonly kill: () => void;
}

/** Connects the threads of the agent with the one whose port leads to Electron's main process. */
const CHANNEL = 'holdfast-keychain';

/** To a keychain's process, which the first message starts. */
interface ToKeychain {
  readonly from: string;
  /** `undefined` to kill it. */
  readonly message?: unknown;
}

/** From a keychain's process. */
interface FromKeychain {
  readonly to: string;
  /** `undefined` when it has ended. */
  readonly message?: unknown;
}

/** Passes messages of all threads to Electron's main process, and its answers back. @param port to that process */
export async function relayKeychain(port: Promise<ElectronPort>): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- Node's types have no other
  channel.onmessage = (event) => {
    const data = (event as { readonly data: ToKeychain | FromKeychain }).data;
    if ('from' in data) void port.then((opened) => opened.postMessage(data));
  };
  channel.unref();
  const opened = await port;
  opened.on('message', ({ data }) => channel.postMessage(data));
  opened.start();
}

/** A process of the keychain that Electron's main process starts. */
export function relayedKeychain(): KeychainProcess {
  const from = randomUUID();
  const channel = new BroadcastChannel(CHANNEL);
  const messages: ((message: unknown) => void)[] = [];
  const ends: ((reason: Error) => void)[] = [];
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
  channel.onmessage = (event) => {
    const { data } = event as { readonly data: ToKeychain | FromKeychain };
    if (!('to' in data) || data.to !== from) return;
    if (data.message === undefined) for (const listener of ends) listener(new Error('the process ended'));
    else for (const listener of messages) listener(data.message);
  };
  return {
    port: {
      post: (message) => channel.postMessage({ from, message } satisfies ToKeychain),
      onMessage: (listener) => void messages.push(listener),
      onEnd: (listener) => void ends.push(listener),
    },
    kill: () => {
      channel.postMessage({ from } satisfies ToKeychain);
      channel.close();
    },
  };
}
