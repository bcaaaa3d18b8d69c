import type { RunWarning } from '../../jobs/run-warning.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { FactOf } from '../../format/repository/facts.ts';
import type { Point } from '../projection/points.ts';
import { DAY } from '../../model/units.ts';

/** Clocks of the computers that back up a set may differ by less. */
const AHEAD_MS = DAY;
/** A computer that was off may leave a gap; after a longer one its clock is worth a look. */
const LONGEST_GAP_MS = 366 * DAY;

/**
 * Returns a warning if the clock was far ahead during the run before, or seems to be so now. The first run after such a clock warns,
 * and no later one.
 */
export function timeWarnings(before: Point | undefined, added: FactOf<'point'>): readonly RunWarning[] {
  if (!before) return [];
  const now = added.completed ?? added.time;
  const warningOf = ({ set, time }: { readonly set: string; readonly time: number }, reason: string): RunWarning[] => [
    { path: `${set} ${formatTimestamp(time)}`, reason },
  ];
  if (before.completed > now + AHEAD_MS) return warningOf(before, 'clock-was-ahead');
  return now - before.completed > LONGEST_GAP_MS ? warningOf(added, 'clock-jumped') : [];
}
