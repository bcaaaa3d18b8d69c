import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 20;

/** Lets the event loop run between the steps of a long loop: `if (slice.isOver) await slice.yield();` */
export class TimeSlice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
