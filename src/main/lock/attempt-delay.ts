import { MINUTE } from '../../model/units.ts';

/** Typing errors cost no wait; guessing does. */
const FREE_ATTEMPTS = 3;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 15 * MINUTE;

/** The wrong passwords since the last right one. */
export interface FailedAttempts {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}

export const NO_FAILED_ATTEMPTS: FailedAttempts = { count: 0, lastAt: 0 };

/** Returns the time from which the next password is checked, in milliseconds since the epoch. */
export function nextAttemptAt({ count, lastAt }: FailedAttempts): number {
  return lastAt + delayAfter(count);
}

/** Adds a wrong password at `now`. */
export function withFailedAttempt({ count }: FailedAttempts, now: number): FailedAttempts {
  return { count: count + 1, lastAt: now };
}

/**
 * Moves a time that lies in the future to `now`. After the clock was set back, the wait would otherwise be as long as the
 * clock was set back.
 */
export function notInTheFuture(misses: FailedAttempts, now: number): FailedAttempts {
  return misses.lastAt > now ? { ...misses, lastAt: now } : misses;
}

function delayAfter(count: number): number {
  if (count < FREE_ATTEMPTS) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - FREE_ATTEMPTS));
}
