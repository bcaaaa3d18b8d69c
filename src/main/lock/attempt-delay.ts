/** Who mistypes is not kept waiting; who tries passwords is. */
const FREE_ATTEMPTS = 3;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 15 * 60_000;

/** Wrong passwords since the last right one, as they are kept. */
export interface Misses {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

export const NO_MISSES: Misses = { count: 0, lastAt: 0 };

/** From when on the next password is looked at; milliseconds since the epoch, as `lastAt`. */
export function nextAttemptAt({ count, lastAt }: Misses): number {
  return lastAt + delayAfter(count);
}

/** One more, at `now`. */
export function missedAgain({ count }: Misses, now: number): Misses {
  return { count: count + 1, lastAt: now };
}

/**
 * What was kept by a clock that has been set back since would have somebody wait for as long as it was set back: counted
 * from now on then.
 */
export function byClock(misses: Misses, now: number): Misses {
  return misses.lastAt > now ? { ...misses, lastAt: now } : misses;
}

function delayAfter(count: number): number {
  if (count < FREE_ATTEMPTS) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE_ATTEMPTS));
}
