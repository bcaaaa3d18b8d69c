import type { Clock } from '../../../src/base/clock.ts';

/** A clock that only sleeping advances, without waiting. */
export class InstantClock implements Clock {
  /** Durations of all sleeps, in milliseconds. */
  readonly slept: number[] = [];
  #offset = 0;
  readonly #base: () => number;

  /** @param base offset clock; by default the clock starts at the system time and stands still */
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
    // Yields to the event loop, as a real sleep does.
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
