import type { Gap } from '../../engine/schedule/lateness.ts';

/** Looks are never farther apart while the computer is awake. Milliseconds. */
export const LONGEST_WAIT = 30_000;

/** With some slack for a computer that is busy. */
const GAP = 2 * LONGEST_WAIT;

/** More than can matter for what is due. */
const MOST_GAPS = 50;

/**
 * Finds out from the clock alone when the computer slept, however the system tells of it: between two looks more time
 * has passed than there can be.
 */
export class ElapsedTime {
  #gaps: readonly Gap[];
  #seenAt: number;

  /** @param seenAt when somebody last looked before this began; nothing where that is not known */
  constructor(now: number, seenAt: number | undefined) {
    this.#gaps = [{ kind: 'off', from: Math.min(seenAt ?? 0, now), to: now }];
    this.#seenAt = now;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  look(now: number): void {
    const from = this.#seenAt;
    this.#seenAt = now;
    // A clock that was set back knows nothing of what it said before.
    if (now < from) this.#gaps = this.#gaps.filter(({ to }) => to <= now);
    if (now - from > GAP) this.#gaps = [...this.#gaps, { kind: 'asleep' as const, from, to: now }].slice(-MOST_GAPS);
  }
}
