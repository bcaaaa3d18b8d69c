import { HoldfastError } from '../../../base/errors/errors.ts';
import type { Keychain } from '../../key-store/keychain.ts';

/** A keychain may appear with the first program of a session that needs it. */
const FRESH_MS = 60_000;

/** Caches whether there is a keychain: each check starts a process. */
export class KeychainAvailability {
  readonly #keychain: Pick<Keychain, 'get'>;
  #isAvailable: boolean | undefined;
  #checking: Promise<boolean> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** @param keychain with a short timeout, since a person may wait for the first result */
  constructor(keychain: Pick<Keychain, 'get'>) {
    this.#keychain = keychain;
  }

  /** Returns the last result at once, and checks again in the background if it is old. Only the first call waits. */
  async isAvailable(): Promise<boolean> {
    const checking = this.#check();
    return this.#isAvailable ?? (await checking);
  }

  /** Never rejects. */
  #check(): Promise<boolean> {
    if (this.#checking) return this.#checking;
    if (this.#isAvailable !== undefined && performance.now() - this.#checkedAt < FRESH_MS) {
      return Promise.resolve(this.#isAvailable);
    }
    this.#checking = this.#query().then((isAvailable) => {
      this.#isAvailable = isAvailable;
      this.#checkedAt = performance.now();
      this.#checking = undefined;
      return isAvailable;
    });
    return this.#checking;
  }

  /** Does not prompt to unlock the keychain: a missing item is reported while it is locked, too. */
  async #query(): Promise<boolean> {
    try {
      await this.#keychain.get('availability');
      return true;
    } catch (error) {
      if (!(error instanceof HoldfastError)) process.stderr.write(`${String(error)}\n`);
      return false;
    }
  }
}
