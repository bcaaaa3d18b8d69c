import type { Clock } from '../../base/clock.ts';

/** Without a sign of life for this time, a destination counts as silent. */
export const STALL_MS = 30_000;

/** The result of work, or the work itself if it has become silent. */
export type Watched<Result> = { readonly result: Result } | { readonly silent: Promise<Result> };

/**
 * Waits for work, but not for longer than `STALL_MS` without a sign of life.
 *
 * @param start begins the work; it calls `alive` whenever something arrives
 * @throws what the work throws
 */
export async function untilSilent<Result>(
  clock: Clock,
  start: (alive: () => void) => Promise<Result>,
): Promise<Watched<Result>> {
  let last = clock.now();
  const ended = new AbortController();
  const work = start(() => {
    last = clock.now();
  });
  // It may fail after nobody waits for it any more.
  work.catch(() => undefined);
  const silence = async (): Promise<Watched<Result>> => {
    for (let left = STALL_MS; left > 0; left = last + STALL_MS - clock.now()) await clock.sleep(left, ended.signal);
    return { silent: work };
  };
  const silent = silence();
  silent.catch(() => undefined);
  try {
    return await Promise.race([work.then((result) => ({ result })), silent]);
  } finally {
    ended.abort();
  }
}
