import { DAY, MINUTE } from '../../model/units.ts';

/** A provider may retry for a day, as we do. */
export const NOTICE_LIFETIME = DAY + 15 * MINUTE;
/** Maximum lead of the provider's clock over ours. */
const CLOCK_SKEW = 5 * MINUTE;

/** Returns whether a notice of that time is accepted; ids of older ones have been deleted, so copies would not be detected. */
export function isTimely(writtenAt: number, now: number): boolean {
  return writtenAt > now - NOTICE_LIFETIME && writtenAt <= now + CLOCK_SKEW;
}
