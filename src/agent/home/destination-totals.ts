import type { JournalTotals } from '../../engine/job/journal.ts';
import type { PlaceTotals } from './settings.ts';

/** What all backups to a place come to: those from before it was left, and those that went there since. */
export function withTotals(
  before: PlaceTotals | undefined,
  { scanned, uploaded, stored = before?.stored }: Omit<JournalTotals, 'last'>,
): PlaceTotals {
  return {
    scanned: (before?.scanned ?? 0) + scanned,
    uploaded: (before?.uploaded ?? 0) + uploaded,
    ...(stored === undefined ? {} : { stored }),
  };
}
