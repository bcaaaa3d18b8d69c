import { HoldfastError } from '../../base/errors/errors.ts';
import { CallClient } from '../../base/calls/call-client.ts';
import { caller } from '../../base/calls/contract-caller.ts';
import { answer } from '../../base/calls/answer.ts';
import { serverMessageParser } from '../../base/calls/messages.ts';
import type { InputOf, OutputOf } from '../../base/calls/contract.ts';
import { keychainCalls, type KeychainCalls } from './keychain-calls.ts';
import { startKeychain } from './start-keychain.ts';

/** Keys guarded by the operating system. Every method may throw HoldfastError `keychain_unavailable`. */
export interface Keychain {
  /** Returns `undefined` if there is no such key. */
  get(account: string): Promise<Uint8Array | undefined>;
  set(account: string, key: Uint8Array): Promise<void>;
  delete(account: string): Promise<void>;
}

/** The time that a person has to unlock the keychain before the run that needs it fails. */
const PATIENCE_MS = 30_000;

/**
 * The system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service on Linux. Each request
 * runs in its own process, which ends with it, so that a blocked keychain does not block this process.
 */
export class SystemKeychain implements Keychain {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #patienceMs: number;

  /** @param patienceMs after which a silent keychain counts as unavailable */
  constructor(environment: NodeJS.ProcessEnv, patienceMs: number = PATIENCE_MS) {
    this.#environment = environment;
    this.#patienceMs = patienceMs;
  }

  async get(account: string): Promise<Uint8Array | undefined> {
    const { secret } = await this.#call('get', { account });
    return secret === undefined ? undefined : new Uint8Array(Buffer.from(secret, 'base64'));
  }

  async set(account: string, key: Uint8Array): Promise<void> {
    await this.#call('set', { account, secret: Buffer.from(key).toString('base64') });
  }

  async delete(account: string): Promise<void> {
    await this.#call('delete', { account });
  }

  async #call<Name extends keyof KeychainCalls>(
    name: Name,
    input: InputOf<KeychainCalls, Name>,
  ): Promise<OutputOf<KeychainCalls, Name>> {
    const { port, kill } = await startKeychain(this.#environment);
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(unavailable('no-answer')), this.#patienceMs);
    const client = new CallClient<Record<string, (input: unknown) => unknown>>(port, {
      parse: serverMessageParser(answer),
      onInvalid: () => reject(unavailable('not-started')),
    });
    const call = caller(keychainCalls, (method, given) =>
      client.call(method, given).catch(() => {
        throw unavailable('not-started');
      }),
    );
    try {
      return await Promise.race([call(name, input), tooLate]);
    } finally {
      clearTimeout(timer);
      kill();
    }
  }
}

function unavailable(problem: string): HoldfastError {
  return new HoldfastError('keychain_unavailable', { problem }, { retryable: true });
}
