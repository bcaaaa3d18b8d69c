import { RETENTION_PERIODS } from '../protocol/retention.ts';
import { madeAt } from '../base/point-time.ts';
import type { KEPT_BECAUSE, RetentionPeriod, RetentionPolicy } from '../protocol/retention.ts';
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
  /** Files that it contains, if that is known. */
  readonly files?: number | undefined;
}

export interface PolicyVerdict<Point extends DatedPoint> {
  readonly point: Point;
  /** Empty if the policy drops it. */
  readonly keptBecause: readonly KeptBecause[];
}

const DAY = 24 * 3_600_000;

/** A restore point has lost most files if it has less than this share of those before. Small sets often lose most. */
const REMAINING_SHARE = 0.5;
const FEWEST_FILES = 50;
/** After so long without them, the lost files are not expected any more. */
const EXPECTED_FOR_MS = 30 * DAY;

/**
 * Decides which of a set's restore points a policy keeps, newest first. Of each hour, day, week, month and year that counts, the newest
 * and the oldest one stay: a run at the end of a day does not displace what the day began with. Everything counts back from the newest
 * restore point, so that neither a wrong clock nor a computer that was off for a year drops what the periods keep, and a dropped restore
 * point stays dropped whatever comes later. A run that lost most of the files takes the place of no other: beside it, each period keeps
 * restore points from before the loss. Without a policy all are kept.
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
  const lossy = lossyOf(newestFirst.toReversed());
  const periodsOf = policy ? keptPeriods(newestFirst, policy, (point) => lossy.has(point)) : undefined;

  return newestFirst.map((point) => {
    const keptBecause: KeptBecause[] = [];
    if (point === newest) keptBecause.push('newest');
    if (point.pinned) keptBecause.push('pinned');
    if (isKeptByDays(point, policy, end)) keptBecause.push('keep_all');
    keptBecause.push(...RETENTION_PERIODS.filter((period) => periodsOf?.get(period)!.has(point)));
    return { point, keptBecause };
  });
}

/**
 * Returns by period the restore points that stay for it: the newest and the oldest of each of as many hours, days, weeks, months and years
 * as the policy says, among the whole runs and among the lossy ones.
 */
function keptPeriods<Point extends DatedPoint>(
  newestFirst: readonly Point[],
  policy: RetentionPolicy,
  isLossy: (point: Point) => boolean,
): ReadonlyMap<RetentionPeriod, ReadonlySet<Point>> {
  const calendar = new Calendar(policy.time_zone);
  const dated = newestFirst.map((point) => ({ point, isLossy: isLossy(point), keys: calendar.keysOf(timeOf(point)) }));
  const keptBy = (period: RetentionPeriod, lossy: boolean): Point[] => {
    const ends = new Map<string, { readonly newest: Point; oldest: Point }>();
    for (const { point, isLossy: isOne, keys } of dated) {
      if (isOne !== lossy) continue;
      const known = ends.get(keys[period]);
      if (known) known.oldest = point;
      else if (ends.size < policy[period]) ends.set(keys[period], { newest: point, oldest: point });
    }
    return [...ends.values()].flatMap(({ newest, oldest }) => [newest, oldest]);
  };
  return new Map(
    RETENTION_PERIODS.map((period) => [period, new Set([...keptBy(period, false), ...keptBy(period, true)])]),
  );
}

/** Returns the restore points that lack most of the files of an earlier one. */
function lossyOf(oldestFirst: readonly DatedPoint[]): ReadonlySet<DatedPoint> {
  const lossy = new Set<DatedPoint>();
  let expected = 0;
  let lostAt: number | undefined;
  for (const point of oldestFirst) {
    const { files } = point;
    if (files === undefined) continue;
    const isLossy = expected >= FEWEST_FILES && files < expected * REMAINING_SHARE;
    lostAt = isLossy ? (lostAt ?? timeOf(point)) : undefined;
    if (lostAt !== undefined && timeOf(point) - lostAt < EXPECTED_FOR_MS) lossy.add(point);
    else {
      expected = files;
      lostAt = undefined;
    }
  }
  return lossy;
}

/** A time after `end` comes from a clock that was ahead. When that run was made is unknown, so that it stays. */
function isKeptByDays(point: DatedPoint, policy: RetentionPolicy | undefined, end: number): boolean {
  if (!policy) return true;
  return policy.keep_all_days > 0 && timeOf(point) > end - policy.keep_all_days * DAY;
}

/** When a restore point was made. */
export function timeOf({ restorePoint, completedAt }: DatedPoint): number {
  return madeAt(restorePoint, completedAt);
}
