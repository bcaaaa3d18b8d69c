import { HoldfastError } from '../../../base/errors.ts';
import type { Keychain } from '../../key-store/keychain.ts';

/** A keychain that is there stays; one may come with a session's first program that needs it. */
const FRESH_MS = 60_000;

/** Whether there is a keychain, as it was found last: asking starts a process each time. */
export class KeychainAvailability {
  readonly #keychain: Pick<Keychain, 'get'>;
  #isAvailable: boolean | undefined;
  #looking: Promise<boolean> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param keychain with little patience, since a person may wait for the first answer */
  constructor(keychain: Pick<Keychain, 'get'>) {
    this.#keychain = keychain;
  }

  /** What is known, at once; it is looked again behind it where that is some time ago. The very first answer takes a look. */
  async isAvailable(): Promise<boolean> {
    const looking = this.#look();
    return this.#isAvailable ?? (await looking);
  }

  /** Never rejects. */
  #look(): Promise<boolean> {
    if (this.#looking) return this.#looking;
    if (this.#isAvailable !== undefined && performance.now() - this.#lookedAt < FRESH_MS) {
      return Promise.resolve(this.#isAvailable);
    }
    this.#looking = this.#found().then((isAvailable) => {
      this.#isAvailable = isAvailable;
      this.#lookedAt = performance.now();
      this.#looking = undefined;
      return isAvailable;
    });
    return this.#looking;
  }

  /** Nobody is asked to unlock it for this: what is looked for is not there, and that can be told while it is locked. */
  async #found(): Promise<boolean> {
    try {
      await this.#keychain.get('availability');
      return true;
    } catch (error) {
      if (!(error instanceof HoldfastError)) process.stderr.write(`${String(error)}\n`);
      return false;
    }
  }
}
