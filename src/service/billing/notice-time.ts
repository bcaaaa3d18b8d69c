/** A provider may try for a day, as we do. */
export const NOTICE_LIFETIME = 24 * 3_600_000 + 15 * 60_000;
/** How far the provider's clock may be ahead of ours. */
const CLOCK_SKEW = 5 * 60_000;

/** Whether a notice that was written then is taken now; a copy of an older one has been forgotten and must not be. */
export function isTimely(writtenAt: number, now: number): boolean {
  return writtenAt > now - NOTICE_LIFETIME && writtenAt <= now + CLOCK_SKEW;
}
