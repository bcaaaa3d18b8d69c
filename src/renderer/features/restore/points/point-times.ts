import type { RestorePoint } from '../../../../ipc/contract/restore.ts';
import type { Formats } from '../../../../strings/formats.ts';
import { distinctTimes } from '../../../shared/distinct-times.ts';

/** When a restore point was made, ISO 8601: its own time, unless that follows one from a clock that was ahead. */
export function shownTime({ restorePoint, completedAt }: RestorePoint): string {
  return completedAt ?? restorePoint;
}

/** The clock times of restore points, with seconds where two neighbours would read the same. */
export function clocksOf(points: readonly RestorePoint[], formats: Formats): ReadonlyMap<RestorePoint, string> {
  const times = distinctTimes(points.map(shownTime), formats.clock, formats.clockSeconds);
  return new Map(points.map((point, index) => [point, times[index]!]));
}

/** The day and the time of one of the restore points, with seconds if one beside it would read the same. */
export function whenOf(points: readonly RestorePoint[], point: RestorePoint, formats: Formats): string {
  const at = points.indexOf(point);
  const around = points.slice(Math.max(0, at - 1), at + 2);
  const times = distinctTimes(around.map(shownTime), formats.when, formats.whenSeconds);
  return times[around.indexOf(point)] ?? formats.when(shownTime(point));
}
