import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimit } from '../../../../src/remote/http/rate-limit.ts';
import { InstantClock } from '../instant-clock.ts';

interface Passed {
  readonly at: number;
  readonly bytes: number;
}

/** Takes all pieces as fast as possible. Returns the time of each. */
async function pass(
  sizes: readonly number[],
  rate: () => number | undefined,
  clock: InstantClock,
): Promise<readonly Passed[]> {
  const limit = new RateLimit(rate, clock);
  const take = async (bytes: number): Promise<Passed> => {
    await limit.take(bytes);
    return { at: clock.now(), bytes };
  };
  return Promise.all(sizes.map(take));
}

/** Most bytes in any period of at least this length, relative to the rate's share of it. */
function worstShare(passed: readonly Passed[], rate: number, leastMs: number): number {
  let worst = 0;
  for (const [first, { at: begin }] of passed.entries()) {
    let bytes = 0;
    for (const { at, bytes: more } of passed.slice(first)) {
      bytes += more;
      worst = Math.max(worst, bytes / ((rate * Math.max(leastMs, at - begin)) / 1000));
    }
  }
  return worst;
}

test('passes at most the rate plus a burst of a quarter of a second over any period', async () => {
  const rates = fc.integer({ min: 4 * 1024, max: 20_000_000 });
  await fc.assert(
    fc.asyncProperty(rates, fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 60 }), async (rate, shares) => {
      const clock = new InstantClock();
      const { pieceBytes: piece } = new RateLimit(() => rate, clock);
      const passed = await pass(
        shares.map((share) => Math.ceil((piece * share) / 100)),
        () => rate,
        clock,
      );
      for (const [first, { at: begin }] of passed.entries()) {
        let bytes = 0;
        for (const { at, bytes: more } of passed.slice(first)) {
          bytes += more;
          expect(bytes).toBeLessThanOrEqual((rate * (at - begin)) / 1000 + Math.max(rate * 0.25, piece) + 1);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test.each([4 * 1024, 64 * 1024, 1_000_000, 50_000_000])(
  'keeps %i bytes a second within 5 % over 10 s',
  async (rate) => {
    const clock = new InstantClock();
    const { pieceBytes: piece } = new RateLimit(() => rate, clock);
    const sizes = Array.from({ length: Math.min(2000, Math.ceil((rate * 30) / piece)) }, () => piece);
    const started = clock.now();
    const passed = await pass(sizes, () => rate, clock);
    expect(worstShare(passed, rate, 10_000)).toBeLessThanOrEqual(1.05);
    const seconds = (passed.at(-1)!.at - started) / 1000;
    expect((sizes.length * piece) / seconds).toBeGreaterThan(0.95 * rate);
  },
);

test('compensates for a late timer, and accumulates a burst of a quarter of a second when idle', async () => {
  const clock = new InstantClock();
  const limit = new RateLimit(() => 100_000, clock);
  await limit.take(5000);
  clock.advance(60_000);
  clock.slept.length = 0;
  for (let pieces = 0; pieces < 5; pieces += 1) await limit.take(5000);
  expect(clock.slept).toEqual([]);
  await limit.take(5000);
  expect(clock.slept).toEqual([50]);
});

test('applies a changed rate to waiting requests', async () => {
  const clock = new InstantClock();
  let rate: number | undefined = 1024;
  const started = clock.now();
  const limit = new RateLimit(() => rate, clock);
  // A minute's worth at the first rate.
  const taken = Array.from({ length: 60 }, () => limit.take(1024));
  await taken[1];
  const before = clock.now() - started;
  rate = 1_000_000;
  await Promise.all(taken);
  expect(before).toBeGreaterThanOrEqual(1000);
  expect(clock.now() - started - before).toBeLessThan(1000);
  rate = undefined;
  clock.slept.length = 0;
  await limit.take(1_000_000_000);
  expect(clock.slept).toEqual([]);
});

test('starts without debt or credit after a time without a limit', async () => {
  const clock = new InstantClock();
  let rate: number | undefined = undefined;
  const limit = new RateLimit(() => rate, clock);
  clock.advance(60_000);
  await limit.take(1_000_000);
  rate = 10_000;
  await limit.take(500);
  expect(clock.slept).toEqual([50]);
});

test('reserves nothing for an aborted request, and serves the others', async () => {
  const clock = new InstantClock();
  const limit = new RateLimit(() => 1024, clock);
  const abort = new AbortController();
  const [first, second, third] = [limit.take(1024), limit.take(1_000_000, abort.signal), limit.take(1024)];
  await first;
  const from = clock.now();
  abort.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  await third;
  expect(clock.now() - from).toBeLessThanOrEqual(1000);
});

test('continues when the clock is set back', async () => {
  const clock = new InstantClock();
  const limit = new RateLimit(() => 10_000, clock);
  await limit.take(1024);
  clock.advance(-3_600_000);
  clock.slept.length = 0;
  await limit.take(500);
  expect(clock.slept.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(50);
});
