import { expect, test } from 'vitest';
import { SingleFlight } from '../../../../src/remote/client/single-flight.ts';

/** Work that ends when the test resolves it. */
function controlled() {
  const runs: PromiseWithResolvers<string>[] = [];
  const signals: AbortSignal[] = [];
  const work = new SingleFlight((abandoned) => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    signals.push(abandoned);
    return run.promise;
  });
  return { work, runs, signals };
}

test('shares one result among concurrent callers, and starts anew for later ones', async () => {
  const { work, runs } = controlled();
  const both = Promise.all([work.join(), work.join()]);
  runs[0]!.resolve('first');
  expect(await both).toEqual(['first', 'first']);
  const later = work.join();
  runs[1]!.resolve('second');
  expect(await later).toBe('second');
  expect(runs).toHaveLength(2);
});

test('continues for the others when one caller is aborted', async () => {
  const { work, runs, signals } = controlled();
  const abort = new AbortController();
  const leaving = work.join(abort.signal);
  const staying = work.join();
  abort.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  expect(signals[0]!.aborted).toBe(false);
  runs[0]!.resolve('done');
  expect(await staying).toBe('done');
});

test.each([
  ['that comes to a result all the same serves those who come after', 'result', 1],
  ['that ends begins anew for those who come after', 'end', 2],
] as const)('abandoned work %s, and never runs twice at once', async (_, outcome, starts) => {
  const { work, runs, signals } = controlled();
  const abort = new AbortController();
  const leaving = work.join(abort.signal);
  abort.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  expect(signals[0]!.aborted).toBe(true);

  const later = work.join();
  expect(runs).toHaveLength(1);
  if (outcome === 'result') {
    runs[0]!.resolve('token');
  } else {
    runs[0]!.reject(new Error('left'));
    await expect.poll(() => runs.length).toBe(2);
    runs[1]!.resolve('token');
  }
  expect(await later).toBe('token');
  expect(runs).toHaveLength(starts);
});
