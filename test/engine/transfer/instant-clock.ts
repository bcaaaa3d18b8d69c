import type { Clock } from '../../../src/base/clock.ts';

/** Time passes only by sleeping, and then at once. */
export class InstantClock implements Clock {
  /** What was slept, in milliseconds, in order. */
  readonly slept: number[] = [];
  #offset = 0;
  readonly #base: () => number;

  /** @param base begins at the machine's time, and stands still, unless it is given */
  constructor(base: () => number = fixedNow()) {
    this.#base = base;
  }

  now(): number {
    return this.#base() + this.#offset;
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(milliseconds);
    this.#offset += milliseconds;
    // Others get their turn, as in a sleep.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    signal?.throwIfAborted();
  }
}

function fixedNow(): () => number {
  const now = Date.now();
  return () => now;
}
