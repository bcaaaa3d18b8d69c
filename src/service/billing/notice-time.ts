/** A provider may retry for a day, as we do. */
export const NOTICE_LIFETIME = 24 * 3_600_000 + 15 * 60_000;
/** Maximum lead of the provider's clock over ours. */
const CLOCK_SKEW = 5 * 60_000;

/** Returns whether a notice of that time is accepted; ids of older ones have been deleted, so copies would not be detected. */
export function isTimely(writtenAt: number, now: number): boolean {
  return writtenAt > now - NOTICE_LIFETIME && writtenAt <= now + CLOCK_SKEW;
}
