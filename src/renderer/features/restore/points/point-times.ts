import type { RestorePoint } from '../../../../model/restore-point.ts';
import type { Formats } from '../../../../strings/formats.ts';
import { distinctTimes } from '../../../shared/distinct-times.ts';

/** The clock times of restore points, with seconds where two neighbours of a day would read the same. */
export function clocksOf(
  points: readonly RestorePoint[],
  formats: Pick<Formats, 'clock' | 'clockSeconds'>,
): ReadonlyMap<RestorePoint, string> {
  const days = Map.groupBy(points, (point) => new Date(point.madeAt).toDateString());
  return new Map(
    [...days.values()].flatMap((ofDay) => {
      const times = distinctTimes(
        ofDay.map(({ madeAt }) => madeAt),
        formats.clock,
        formats.clockSeconds,
      );
      return ofDay.map((point, index) => [point, times[index]!] as const);
    }),
  );
}

/** The day and the time of one of the restore points, with seconds if one beside it would read the same. */
export function whenOf(points: readonly RestorePoint[], point: RestorePoint, formats: Formats): string {
  const at = points.indexOf(point);
  const around = points.slice(Math.max(0, at - 1), at + 2);
  const times = distinctTimes(
    around.map(({ madeAt }) => madeAt),
    formats.when,
    formats.whenSeconds,
  );
  return times[around.indexOf(point)] ?? formats.when(point.madeAt);
}
