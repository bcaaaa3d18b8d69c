import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { Keychain } from '../../../src/agent/key-store/keychain.ts';

/** A keychain that a test can lock, and that counts the requests for a key. */
export class MemoryKeychain implements Keychain {
  readonly keys = new Map<string, Uint8Array>();
  isLocked = false;
  reads = 0;

  get(account: string): Promise<Uint8Array | undefined> {
    this.reads += 1;
    return this.#answer(() => this.keys.get(account));
  }

  set(account: string, key: Uint8Array): Promise<void> {
    return this.#answer(() => void this.keys.set(account, key));
  }

  delete(account: string): Promise<void> {
    return this.#answer(() => void this.keys.delete(account));
  }

  async #answer<Value>(value: () => Value): Promise<Value> {
    await Promise.resolve();
    if (this.isLocked) throw new HoldfastError('keychain_unavailable', { problem: 'no-answer' });
    return value();
  }
}
