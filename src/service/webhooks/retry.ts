/** How long after its event a delivery is still tried, or after it was sent again; in milliseconds. */
const RETRY_WINDOW = 24 * 60 * 60 * 1000;
/** The first failure is followed by a try within this time. */
const FIRST_DELAY = 10 * 1000;
/** No two tries are further apart, so a receiver that is back is served within the hour. */
const LONGEST_DELAY = 60 * 60 * 1000;

export interface FailedTry {
  /** When the tries began, in milliseconds since the epoch. */
  readonly triedFrom: number;
  readonly now: number;
  /** Tries so far, the failed one included. */
  readonly attempts: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * When to try again: exponential backoff with full jitter (each delay is drawn from [0, ceiling), so receivers that
 * failed together are not all called together). The last try is made at the end of the window; after that, undefined.
 */
export function nextAttemptAt({ triedFrom, now, attempts, random }: FailedTry): number | undefined {
  const deadline = triedFrom + RETRY_WINDOW;
  if (now >= deadline) return undefined;
  const ceiling = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempts - 1));
  return Math.min(now + Math.floor(random * ceiling), deadline);
}
