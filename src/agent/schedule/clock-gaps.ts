import type { Gap } from '../../schedule/lateness.ts';

/** The longest time between two evaluations while the computer is awake, in milliseconds. */
export const MAX_WAIT_MS = 30_000;

/** With some slack for a busy computer. */
const GAP_MS = 2 * MAX_WAIT_MS;

/** More gaps cannot affect what is due. */
const MAX_GAPS = 50;

/**
 * Detects from the clock alone when the computer slept, on every system: more time has passed between two evaluations
 * than is possible while it is awake.
 */
export class ClockGaps {
  #gaps: readonly Gap[];
  #evaluatedAt: number;

  /** @param evaluatedAt the last evaluation of an earlier process, if known */
  constructor(now: number, evaluatedAt: number | undefined) {
    this.#gaps = [{ kind: 'off', from: Math.min(evaluatedAt ?? 0, now), to: now }];
    this.#evaluatedAt = now;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  evaluated(now: number): void {
    const from = this.#evaluatedAt;
    this.#evaluatedAt = now;
    // Gaps that lie in the future are those of a clock that was set back.
    if (now < from) this.#gaps = this.#gaps.filter(({ to }) => to <= now);
    if (now - from > GAP_MS) this.#gaps = [...this.#gaps, { kind: 'asleep' as const, from, to: now }].slice(-MAX_GAPS);
  }
}
