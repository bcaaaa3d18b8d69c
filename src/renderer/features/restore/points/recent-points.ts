import type { RestorePoint } from '../../../../model/restore-point.ts';

/**
 * Returns the restore points that are most often wanted back, newest first: the newest, the last one before today, the last one of a week
 * ago, and the present one.
 *
 * @param points newest first
 */
export function recentPoints(
  points: readonly RestorePoint[],
  present: RestorePoint,
  now: Date,
): readonly RestorePoint[] {
  const before = (daysAgo: number): RestorePoint | undefined => {
    const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
    return points.find((point) => Date.parse(point.madeAt) < end.getTime());
  };
  const wanted = new Set([points[0], before(0), before(6), present]);
  return points.filter((point) => wanted.has(point));
}
