import { RETENTION_PERIODS } from '../protocol/retention.ts';
import type { KEPT_BECAUSE, RetentionPolicy } from '../protocol/retention.ts';
import { Calendar } from './calendar.ts';

export type KeptBecause = (typeof KEPT_BECAUSE)[number];

/** The facts about a restore point that a policy depends on. No two of a set have the same time. */
export interface DatedPoint {
  /** Milliseconds since the epoch. */
  readonly restorePoint: number;
  readonly pinned: boolean;
}

export interface PolicyVerdict<Point extends DatedPoint> {
  readonly point: Point;
  /** Empty if the policy drops it. */
  readonly keptBecause: readonly KeptBecause[];
}

const DAY = 24 * 3_600_000;

/**
 * Decides which of a set's restore points a policy keeps, newest first. It does not depend on the clock: everything counts back from
 * the newest restore point, so that neither a wrong clock nor a computer that was off for a year drops what the periods keep (apart
 * from `keep_all_days`), and a dropped restore point stays dropped whatever comes later. Without a policy all are kept.
 */
export function decideRetention<Point extends DatedPoint>(
  points: readonly Point[],
  policy: RetentionPolicy | undefined,
): readonly PolicyVerdict<Point>[] {
  const newestFirst = points.toSorted((a, b) => b.restorePoint - a.restorePoint);
  const newest = newestFirst[0]?.restorePoint ?? 0;
  const calendar = policy && new Calendar(policy.time_zone);
  const seen = new Map<string, Set<string>>(RETENTION_PERIODS.map((period) => [period, new Set<string>()]));

  return newestFirst.map((point) => {
    const keptBecause: KeptBecause[] = [];
    if (point.restorePoint === newest) keptBecause.push('newest');
    if (point.pinned) keptBecause.push('pinned');
    if (!policy || point.restorePoint > newest - policy.keep_all_days * DAY) keptBecause.push('keep_all');
    const keys = calendar?.keysOf(point.restorePoint);
    for (const period of RETENTION_PERIODS) {
      const periods = seen.get(period)!;
      if (!policy || !keys || periods.size >= policy[period] || periods.has(keys[period])) continue;
      periods.add(keys[period]);
      keptBecause.push(period);
    }
    return { point, keptBecause };
  });
}
