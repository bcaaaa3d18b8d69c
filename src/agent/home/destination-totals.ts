import type { JournalTotals } from '../../engine/job/journal.ts';
import type { DestinationTotals } from './settings.ts';

/** Adds the totals of the journal to those of the backups from before the destination was left. */
export function addTotals(
  before: DestinationTotals | undefined,
  { scanned, fresh, uploaded, stored = before?.stored }: Omit<JournalTotals, 'last'>,
): DestinationTotals {
  return {
    scanned: (before?.scanned ?? 0) + scanned,
    fresh: (before?.fresh ?? 0) + fresh,
    uploaded: (before?.uploaded ?? 0) + uploaded,
    ...(stored === undefined ? {} : { stored }),
  };
}
