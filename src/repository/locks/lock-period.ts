import { DAY } from '../../model/units.ts';

/** Nobody can end a lock, so none lasts longer than about this, whatever a retention lock says. */
export const LONGEST_DAYS = 365;

/**
 * Milliseconds for which a file is locked so that it stays for `days` after each backup: a third longer, so that a lock is
 * extended three times in that period at most and not by every run.
 */
export function lockPeriod(days: number): number {
  if (days === 0) return 0;
  const kept = Math.min(days, LONGEST_DAYS);
  return (kept + Math.max(2, Math.ceil(kept / 3))) * DAY;
}
