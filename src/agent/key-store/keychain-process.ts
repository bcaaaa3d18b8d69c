import { Entry } from '@napi-rs/keyring';
import type { Failure } from '../../base/errors/failure.ts';
import { parseClientMessage } from '../../base/calls/messages.ts';
import { parentProcessPort } from '../../base/calls/process-port.ts';
import { serve } from '../../base/calls/serve-contract.ts';
import { serveCalls } from '../../base/calls/serve-calls.ts';
import { keychainCalls, type KeychainCalls } from './keychain-calls.ts';
import type { Handlers } from '../../base/calls/contract.ts';

// The program of a process for one call: a locked keychain blocks its caller until a person responds.

const SERVICE = 'Holdfast';
/** Linux has another keychain, which loses everything at a restart. */
const STORE = { linux: { store: 'secret-service' } } as const;

const handlers: Handlers<KeychainCalls> = {
  get: ({ account }) => {
    const secret = entryOf(account).getPassword();
    return secret === null ? {} : { secret };
  },
  set: ({ account, secret }) => {
    entryOf(account).setPassword(secret);
    return {};
  },
  delete: ({ account }) => {
    entryOf(account).deleteCredential();
    return {};
  },
};

const port = parentProcessPort();
serveCalls(port, (name, input) => serve(keychainCalls, handlers, name, input, explain), { parse: parseClientMessage });
port.onEnd(() => process.exit());

function entryOf(account: string): Entry {
  return new Entry(SERVICE, account, STORE);
}

function explain(error: unknown): Failure {
  const problem = error instanceof Error ? error.message : String(error);
  return { code: 'keychain_unavailable', details: { problem }, retryable: true };
}
