import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time that work on a million rows may take before others get their turn. */
const TURN_MS = 20;

/** For long loops of short steps: `if (pace.isDue) await pace.turn();` */
export class TimeSlice {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  async turn(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
