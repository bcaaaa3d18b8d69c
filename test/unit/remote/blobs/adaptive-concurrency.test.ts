import { expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../../../src/remote/blobs/adaptive-concurrency.ts';
import { InstantClock } from '../instant-clock.ts';

const BLOB = 1_000_000;

/** Simulates transfers that share a connection equally. Returns the limit that is reached. */
async function settle(bytesPerSecond: (parallel: number) => number): Promise<number> {
  const clock = new InstantClock();
  const concurrency = new AdaptiveConcurrency({ least: 4, most: 16 }, clock);
  await Promise.all(
    Array.from({ length: 800 }, () =>
      concurrency.run(async () => {
        await Promise.resolve();
        clock.advance((BLOB / bytesPerSecond(concurrency.limit)) * 1000);
        concurrency.succeeded(BLOB);
      }),
    ),
  );
  return concurrency.limit;
}

test('grows to its maximum when each connection adds throughput', async () => {
  expect(await settle((parallel) => parallel * 300_000)).toBe(16);
});

test('stays small when more connections add no throughput', async () => {
  expect(await settle(() => 1_000_000)).toBeLessThan(8);
});

test('never exceeds its limit, and runs everything', async () => {
  const concurrency = new AdaptiveConcurrency({ least: 4, most: 16 }, new InstantClock());
  let running = 0;
  let most = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 100 }, () =>
      concurrency.run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        running -= 1;
        done += 1;
      }),
    ),
  );
  expect([most, done]).toEqual([4, 100]);
});

test('halves after a failure, down to its minimum', async () => {
  const clock = new InstantClock();
  const concurrency = new AdaptiveConcurrency({ least: 4, most: 16 }, clock);
  concurrency.failed();
  expect(concurrency.limit).toBe(4);
});

test('rejects queued work at once when it is aborted', async () => {
  const concurrency = new AdaptiveConcurrency({ least: 1, most: 1 }, new InstantClock());
  let finish = (): void => undefined;
  const first = concurrency.run(() => new Promise<void>((resolve) => (finish = resolve)));
  const abort = new AbortController();
  const second = concurrency.run(() => Promise.resolve('second'), abort.signal);
  const third = concurrency.run(() => Promise.resolve('third'));
  abort.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  finish();
  await first;
  await expect(third).resolves.toBe('third');
});
