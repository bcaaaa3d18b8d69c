import type { Clock } from '../../../base/clock.ts';
import { failureOf } from '../../../base/errors/failure.ts';
import type { StateChanges } from '../state-changes.ts';
import { MINUTE } from '../../../model/units.ts';

/** Other computers back up meanwhile, and a destination that did not respond may do so. Milliseconds. */
const AGAIN_MS = 10 * MINUTE;

export interface RestorableSetsParts {
  /** Counts the sets that have restore points, also those of other computers. */
  readonly ask: () => Promise<number>;
  readonly clock: Pick<Clock, 'now'>;
  readonly changes: Pick<StateChanges, 'notify'>;
}

/** How many backup sets a computer without any of its own can restore. */
export class RestorableSets {
  readonly #parts: RestorableSetsParts;
  #count: number | undefined;
  #askedAt = -Infinity;

  constructor(parts: RestorableSetsParts) {
    this.#parts = parts;
  }

  /** Returns the last known number, `undefined` before there is one. Asks again from time to time, and reports a change. */
  count(): number | undefined {
    const now = this.#parts.clock.now();
    if (Math.abs(now - this.#askedAt) > AGAIN_MS) {
      this.#askedAt = now;
      void this.#ask();
    }
    return this.#count;
  }

  async #ask(): Promise<void> {
    try {
      const count = await this.#parts.ask();
      if (count === this.#count) return;
      this.#count = count;
      this.#parts.changes.notify();
    } catch (error) {
      // A destination that cannot be asked now may have them.
      if (!failureOf(error)) throw error;
    }
  }
}
