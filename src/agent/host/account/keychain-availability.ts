import { HoldfastError } from '../../../base/errors/errors.ts';
import type { Keychain } from '../../key-store/keychain.ts';
import { MINUTE } from '../../../model/units.ts';

/** A keychain may disappear with its session. */
const FRESH_MS = MINUTE;

/** A keychain may appear with the first program of a session that needs it, and a busy one may answer too late. */
const MISSING_FRESH_MS = 5_000;

/** Caches whether there is a keychain: each check starts a process. */
export class KeychainAvailability {
  readonly #keychain: Pick<Keychain, 'get'>;
  readonly #now: () => number;
  #isAvailable: boolean | undefined;
  #checking: Promise<boolean> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param keychain with a short timeout, since a person may wait for the first result
   * @param now milliseconds of a clock that nobody sets
   */
  constructor(keychain: Pick<Keychain, 'get'>, now: () => number = () => performance.now()) {
    this.#keychain = keychain;
    this.#now = now;
  }

  /** Returns the last result at once, and checks again in the background if it is old. Only the first call waits. */
  async isAvailable(): Promise<boolean> {
    const checking = this.#check();
    return this.#isAvailable ?? (await checking);
  }

  /** Never rejects. */
  #check(): Promise<boolean> {
    if (this.#checking) return this.#checking;
    const age = this.#now() - this.#checkedAt;
    if (this.#isAvailable !== undefined && age < (this.#isAvailable ? FRESH_MS : MISSING_FRESH_MS)) {
      return Promise.resolve(this.#isAvailable);
    }
    this.#checking = this.#query().then((isAvailable) => {
      this.#isAvailable = isAvailable;
      this.#checkedAt = this.#now();
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
