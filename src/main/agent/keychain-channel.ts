import { app } from 'electron';
import { BroadcastChannel } from 'node:worker_threads';
import type { KeychainPort } from './serve-keychain.ts';

/** Equal to the one in agent/key-store/keychain-relay.ts, where the other end is. */
const CHANNEL = 'holdfast-keychain';

/** Returns the port to the command line in this process and its threads. It closes with the process. */
export function keychainChannel(): KeychainPort {
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  return {
    on: (event: 'message' | 'close', listener: (message: { readonly data: unknown }) => void) => {
      if (event === 'close') return;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- Node's types have no other
      channel.onmessage = (message) => {
        const { data } = message as { readonly data: object };
        // Its own answers do not arrive here. A process can be started once Electron is ready.
        if ('from' in data) void app.whenReady().then(() => listener({ data }));
      };
    },
    postMessage: (message) => channel.postMessage(message),
    start: () => undefined,
  };
}
