import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimit } from '../../../../src/service/operation/rate-limit.ts';

describe('a rate limit', () => {
  test('permits a minute’s requests at once, then returns the wait for the next', () => {
    let now = 1_000_000;
    const limit = new RateLimit(30, () => now);
    for (let count = 0; count < 30; count += 1) expect(limit.take('a')).toBeUndefined();
    expect(limit.take('a')).toBe(2);
    expect(limit.take('b')).toBeUndefined();
    now += 1_999;
    expect(limit.take('a')).toBe(1);
    now += 1;
    expect(limit.take('a')).toBeUndefined();
    expect(limit.take('a')).toBe(2);
  });

  test('permits a request after the returned wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.integer({ min: 0, max: 5_000 })),
        (rate, pauses) => {
          let now = 0;
          const limit = new RateLimit(rate, () => now);
          for (let count = 0; count < Math.min(rate, 500); count += 1) limit.take('a');
          for (const pause of pauses) {
            now += pause;
            const retryAfter = limit.take('a');
            if (retryAfter === undefined) continue;
            now += retryAfter * 1000;
            expect(limit.take('a')).toBeUndefined();
          }
        },
      ),
      { examples: [[4, [4408, 2635, 96, 3861]]] },
    );
  });

  test('never exceeds a minute’s burst plus the elapsed share', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: -1_000, max: 2_000 })),
        (rate, pauses) => {
          let now = 10_000_000;
          let latest = now;
          let gone = 0;
          let through = 0;
          const limit = new RateLimit(rate, () => now);
          for (const pause of pauses) {
            now += pause;
            gone += Math.max(0, now - latest);
            latest = now;
            if (limit.take('a') === undefined) through += 1;
          }
          expect(through).toBeLessThanOrEqual(rate + Math.ceil((gone * rate) / 60_000));
        },
      ),
    );
  });

  test('is unlimited for 0, and ignores a clock set back', () => {
    let now = 1_000_000;
    const none = new RateLimit(0, () => now);
    for (let count = 0; count < 1_000; count += 1) expect(none.take('a')).toBeUndefined();
    const one = new RateLimit(1, () => now);
    expect(one.take('a')).toBeUndefined();
    now -= 500_000;
    expect(one.take('a')).toBe(60);
    now += 60_000;
    expect(one.take('a')).toBeUndefined();
  });

  test('tracks a limited number of the most recent subjects', () => {
    const limit = new RateLimit(1, () => 0);
    expect(limit.take('first')).toBeUndefined();
    for (let count = 0; count < 60_000; count += 1) limit.take(String(count));
    expect(limit.take('59999')).toBe(60);
    expect(limit.take('first')).toBeUndefined();
  });
});
