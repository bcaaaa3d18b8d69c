import { DAY, HOUR } from '../../model/units.ts';

/** Time in milliseconds after the event, or after a repetition, in which a delivery is attempted. */
const RETRY_WINDOW = DAY;
/** Maximum delay after the first failure. */
const FIRST_DELAY = 10 * 1000;
/** Maximum delay between attempts, so that a recovered receiver is served within the hour. */
const LONGEST_DELAY = HOUR;

export interface FailedTry {
  /** Start of the attempts, in milliseconds since the epoch. */
  readonly triedFrom: number;
  readonly now: number;
  /** Attempts so far, including the failed one. */
  readonly attempts: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Returns the time of the next attempt: exponential backoff with full jitter (each delay is drawn from [0, ceiling), so receivers that
 * failed together are not all called together). The last attempt is at the end of the window; afterwards `undefined`.
 */
export function nextAttemptAt({ triedFrom, now, attempts, random }: FailedTry): number | undefined {
  const deadline = triedFrom + RETRY_WINDOW;
  if (now >= deadline) return undefined;
  const ceiling = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempts - 1));
  return Math.min(now + Math.floor(random * ceiling), deadline);
}
