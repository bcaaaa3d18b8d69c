import { RETENTION_PERIODS, type RetentionPolicy } from '../protocol/retention.ts';
import { Calendar } from './calendar.ts';
import { timeOf } from './lossy-runs.ts';
import type { DatedPoint } from './retention-policy.ts';
import { DAY } from '../model/units.ts';

/**
 * Returns the restore points that a policy never dropped, whenever and however often it was applied since the oldest of them was made:
 * those that `decideRetention` keeps of any part of the points. That depends on what was there, since a run that lost most files is told by
 * those before it, and dates go back after a clock that was ahead. Here a point counts only if it is the first or last one of its period
 * among all of them, and fewer other periods than the policy counts have come since.
 *
 * @param points all that are known, also those that may have been dropped
 */
export function surelyKept<Point extends DatedPoint>(
  points: readonly Point[],
  policy: RetentionPolicy,
): ReadonlySet<Point> {
  const newestFirst = points.toSorted((a, b) => b.restorePoint - a.restorePoint);
  const calendar = new Calendar(policy.time_zone);
  const dated = newestFirst.map((point) => ({ point, made: timeOf(point), keys: calendar.keysOf(timeOf(point)) }));
  const kept = new Set<Point>(newestFirst.slice(0, 1));
  let end = Number.NEGATIVE_INFINITY;
  for (const { point, made } of dated) {
    end = Math.max(end, made);
    if (policy.keep_all_days > 0 && made > end - policy.keep_all_days * DAY) kept.add(point);
  }
  for (const period of RETENTION_PERIODS) {
    const oldest = new Map(dated.map(({ point, keys }) => [keys[period], point]));
    const seen = new Set<string>();
    for (const { point, keys } of dated) {
      const key = keys[period];
      const isFirst = !seen.has(key);
      seen.add(key);
      if (seen.size <= policy[period] && (isFirst || oldest.get(key) === point)) kept.add(point);
    }
  }
  return kept;
}
