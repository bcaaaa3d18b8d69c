import type { Clock } from '../../base/clock.ts';
import { MINUTE } from '../../model/units.ts';

const FIRST_PAUSE_MS = MINUTE;
const MOST_FAILURES = 3;

/** Decides whether a destination is asked after failures: after a pause, and not at all after several in a row. */
export class Health {
  readonly #clock: Pick<Clock, 'now'>;
  #failures = 0;
  #pausedUntil = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  get isGone(): boolean {
    return this.#failures >= MOST_FAILURES;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#pausedUntil = 0;
  }

  failed(): void {
    // Calls that were under way together fail together.
    if (this.isPaused) return;
    this.#pausedUntil = this.#clock.now() + FIRST_PAUSE_MS * 2 ** this.#failures;
    this.#failures += 1;
  }
}
