import { RETENTION_PERIODS } from '../protocol/retention.ts';
import type { KEPT_BECAUSE, RetentionPolicy } from '../protocol/retention.ts';
import { Calendar } from './calendar.ts';

export type KeptBecause = (typeof KEPT_BECAUSE)[number];

/** The facts about a restore point that a policy depends on. No two of a set have the same time. */
export interface DatedPoint {
  /** Milliseconds since the epoch. Later runs have later ones. */
  readonly restorePoint: number;
  /**
   * When the run was completed, if that is known. It is earlier than `restorePoint` if that follows one from a clock that was ahead, and
   * later for a copy.
   */
  readonly completedAt?: number | undefined;
  readonly pinned: boolean;
}

export interface PolicyVerdict<Point extends DatedPoint> {
  readonly point: Point;
  /** Empty if the policy drops it. */
  readonly keptBecause: readonly KeptBecause[];
}

const DAY = 24 * 3_600_000;

/**
 * Decides which of a set's restore points a policy keeps, newest first. Everything counts back from the newest restore point, so that
 * neither a wrong clock nor a computer that was off for a year drops what the periods keep, and a dropped restore point stays
 * dropped whatever comes later. Without a policy all are kept.
 *
 * @param now `keep_all_days` counts back from here if the newest restore point is later
 */
export function decideRetention<Point extends DatedPoint>(
  points: readonly Point[],
  policy: RetentionPolicy | undefined,
  now = Number.POSITIVE_INFINITY,
): readonly PolicyVerdict<Point>[] {
  const newestFirst = points.toSorted((a, b) => b.restorePoint - a.restorePoint);
  const [newest] = newestFirst;
  const end = newest ? Math.min(timeOf(newest), now) : now;
  const calendar = policy && new Calendar(policy.time_zone);
  const seen = new Map<string, Set<string>>(RETENTION_PERIODS.map((period) => [period, new Set<string>()]));

  return newestFirst.map((point) => {
    const keptBecause: KeptBecause[] = [];
    if (point === newest) keptBecause.push('newest');
    if (point.pinned) keptBecause.push('pinned');
    if (isKeptByDays(point, policy, end)) keptBecause.push('keep_all');
    const keys = calendar?.keysOf(timeOf(point));
    for (const period of RETENTION_PERIODS) {
      const periods = seen.get(period)!;
      if (!policy || !keys || periods.size >= policy[period] || periods.has(keys[period])) continue;
      periods.add(keys[period]);
      keptBecause.push(period);
    }
    return { point, keptBecause };
  });
}

/** A time after `end` comes from a clock that was ahead. When that run was made is unknown, so that it stays. */
function isKeptByDays(point: DatedPoint, policy: RetentionPolicy | undefined, end: number): boolean {
  if (!policy) return true;
  return policy.keep_all_days > 0 && timeOf(point) > end - policy.keep_all_days * DAY;
}

function timeOf({ restorePoint, completedAt = restorePoint }: DatedPoint): number {
  return Math.min(restorePoint, completedAt);
}
