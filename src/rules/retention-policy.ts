import { RETENTION_PERIODS } from '../protocol/retention.ts';
import type { KEPT_BECAUSE, RetentionPeriod, RetentionPolicy } from '../protocol/retention.ts';
import { believedOrders, DAYS_THAT_SHOW_TIME } from './believed-orders.ts';
import { Calendar } from './calendar.ts';
import { LossyRuns, timeOf, type CountedPoint } from './lossy-runs.ts';
import { DAY } from '../model/units.ts';

export type KeptBecause = (typeof KEPT_BECAUSE)[number];

/** The facts about a restore point that a policy depends on. No two of a set have the same time. */
export interface DatedPoint extends CountedPoint {
  readonly pinned: boolean;
}

export interface PolicyVerdict<Point extends DatedPoint> {
  readonly point: Point;
  /** Empty if the policy drops it. */
  readonly keptBecause: readonly KeptBecause[];
}

/** A longer time without a restore point may be a clock that is ahead. */
const LONG_GAP_MS = 7 * DAY;

/**
 * Decides which of a set's restore points a policy keeps, newest first. Of each hour, day, week, month and year that counts, the newest
 * and the oldest one stay: a run at the end of a day does not displace what the day began with. Everything counts back from the newest
 * restore point, so that neither a wrong clock nor a computer that was off for a year drops what the periods keep, and a dropped restore
 * point stays dropped whatever comes later. `keep_all_days` counts from before a gap of more than a week until restore points of three days
 * follow it (docs/decisions/history/0312-days-after-a-gap.md). Where times contradict each other, a clock was wrong, and what stays
 * whichever of them is believed stays (docs/decisions/history/0354-clocks-that-were-wrong.md). A run that lost most of the files takes the
 * place of no other: beside it, each period keeps restore points from before the loss. What tells that it did stays as long as it does, so
 * that the same policy, applied to what it kept, drops nothing more. Without a policy all are kept.
 *
 * @param now `keep_all_days` counts back from here if the newest restore point is later; a later time may be wrong
 */
export function decideRetention<Point extends DatedPoint>(
  points: readonly Point[],
  policy: RetentionPolicy | undefined,
  now = Number.POSITIVE_INFINITY,
): readonly PolicyVerdict<Point>[] {
  const newestFirst = points.toSorted((a, b) => b.restorePoint - a.restorePoint);
  const [newest] = newestFirst;
  const end = newest && policy ? endOfDays(newestFirst, newest, policy, now) : now;
  const lossy = new LossyRuns(newestFirst.toReversed());
  const periodsOf = policy ? keptPeriods(newestFirst, policy, now, (point) => lossy.has(point)) : undefined;

  const verdicts = newestFirst.map((point) => {
    const keptBecause: KeptBecause[] = [];
    if (point === newest) keptBecause.push('newest');
    if (point.pinned) keptBecause.push('pinned');
    if (isKeptByDays(point, policy, end)) keptBecause.push('keep_all');
    keptBecause.push(...RETENTION_PERIODS.filter((period) => periodsOf?.get(period)!.has(point)));
    return { point, keptBecause };
  });
  const kept = verdicts.flatMap(({ point, keptBecause }) => (keptBecause.length > 0 ? [point] : []));
  const witnesses = lossy.witnessesOf(new Set(kept));
  return verdicts.map((verdict) =>
    witnesses.has(verdict.point) ? { point: verdict.point, keptBecause: ['loss'] } : verdict,
  );
}

/**
 * Returns by period the restore points that stay for it: the newest and the oldest whole one of each of as many hours, days, weeks, months
 * and years as the policy says, and the newest and the oldest lossy one of these if all runs are counted; each whichever times are believed.
 */
function keptPeriods<Point extends DatedPoint>(
  newestFirst: readonly Point[],
  policy: RetentionPolicy,
  now: number,
  isLossy: (point: Point) => boolean,
): ReadonlyMap<RetentionPeriod, ReadonlySet<Point>> {
  const calendar = new Calendar(policy.time_zone);
  const dated = newestFirst.map((point) => {
    const made = timeOf(point);
    return { point, made, isLossy: isLossy(point), keys: calendar.keysOf(made) };
  });
  const whole = dated.filter((one) => !one.isLossy);
  const orders = { whole: believedOrders(whole, now), all: believedOrders(dated, now) };
  const keptBy = (period: RetentionPeriod, lossy: boolean): Point[] =>
    orders[lossy ? 'all' : 'whole'].flatMap((believed) => {
      const counted = new Set<string>();
      const ends = new Map<string, { readonly newest: Point; oldest: Point }>();
      for (const { point, isLossy: isOne, keys } of believed) {
        const key = keys[period];
        if (counted.size < policy[period]) counted.add(key);
        if (isOne !== lossy || !counted.has(key)) continue;
        const known = ends.get(key);
        if (known) known.oldest = point;
        else ends.set(key, { newest: point, oldest: point });
      }
      return [...ends.values()].flatMap(({ newest, oldest }) => [newest, oldest]);
    });
  return new Map(
    RETENTION_PERIODS.map((period) => [period, new Set([...keptBy(period, false), ...keptBy(period, true)])]),
  );
}

/** Returns the time from which `keep_all_days` counts back. */
function endOfDays(
  points: readonly DatedPoint[],
  newest: DatedPoint,
  { keep_all_days: keptDays }: RetentionPolicy,
  now: number,
): number {
  // What is later comes from a clock that was ahead.
  const times = points
    .map((point) => timeOf(point))
    .filter((time) => time <= now)
    .toSorted((a, b) => b - a);
  // A policy of fewer days leaves no more of them before the next gap.
  const enough = Math.min(DAYS_THAT_SHOW_TIME, keptDays);
  const days = new Set<number>();
  let end = Math.min(timeOf(newest), now);
  for (const [index, time] of times.entries()) {
    days.add(Math.floor(time / DAY));
    const before = times[index + 1];
    if (before === undefined || days.size >= enough) break;
    // A gap between times of a clock that was ahead may end after the newest restore point.
    if (time - before > LONG_GAP_MS) end = Math.min(end, before);
  }
  return end;
}

/** A time after `end` comes from a clock that was ahead. When that run was made is unknown, so that it stays. */
function isKeptByDays(point: DatedPoint, policy: RetentionPolicy | undefined, end: number): boolean {
  if (!policy) return true;
  return policy.keep_all_days > 0 && timeOf(point) > end - policy.keep_all_days * DAY;
}
