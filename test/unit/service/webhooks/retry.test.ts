import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttemptAt } from '../../../../src/service/webhooks/retry.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** Draws nearly the longest delay. */
const LATE = 1 - 2 ** -53;

describe('nextAttemptAt', () => {
  test.each([
    [1, 10 * SECOND],
    [2, 20 * SECOND],
    [3, 40 * SECOND],
    [9, 2560 * SECOND],
    [10, HOUR],
    [2000, HOUR],
  ])('after %i attempts waits at most %i ms', (attempts, most) => {
    const after = (random: number) => nextAttemptAt({ triedFrom: 0, now: 0, attempts, random });
    expect(after(0)).toBe(0);
    expect(after(0.5)).toBe(most / 2);
    expect(after(LATE)).toBe(most - 1);
  });

  test('makes its last attempt at the end of 24 hours and then gives up', () => {
    const at = (now: number) => nextAttemptAt({ triedFrom: 0, now, attempts: 50, random: LATE });
    expect(at(23 * HOUR)).toBe(24 * HOUR - 1);
    expect(at(23.5 * HOUR)).toBe(24 * HOUR);
    expect(at(24 * HOUR - 1)).toBe(24 * HOUR);
    expect(at(24 * HOUR)).toBeUndefined();
    expect(at(48 * HOUR)).toBeUndefined();
  });

  test('makes an attempt in the last hour for any random draws, and at most a few hundred in total', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (triedFrom, seed) => {
        const random = uniform(seed);
        const tries = [triedFrom];
        for (let attempts = 1; attempts < 10_000; attempts += 1) {
          const now = tries.at(-1) as number;
          const next = nextAttemptAt({ triedFrom, now, attempts, random: random() });
          if (next === undefined) break;
          expect(next).toBeGreaterThanOrEqual(now);
          expect(next - now).toBeLessThanOrEqual(HOUR);
          tries.push(next);
        }
        expect(tries.at(-1)).toBe(triedFrom + 24 * HOUR);
        expect(tries.length).toBeLessThan(300);
      }),
      { numRuns: 50 },
    );
  });
});

/** Mulberry32: reproducible and uniform like Math.random. Numbers of fast-check concentrate at the limits. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
