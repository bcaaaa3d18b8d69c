import type { RetentionPolicy } from '../../protocol/retention.ts';
import { judgeRemoval, lockEnd, witnessTimes, type RemovalVerdict } from '../../rules/removal-decision.ts';
import { decideRetention, type KeptBecause } from '../../rules/retention-policy.ts';
import type { Fact } from '../../format/repository/facts.ts';
import type { Point, PointTable, SetName } from '../projection/points.ts';

/** The decision about one restore point. */
export interface DecidedPoint {
  readonly point: Point;
  readonly keptBecause: readonly KeptBecause[];
  /** Milliseconds since the epoch; 0 if it is not locked. */
  readonly lockedUntil: number;
  readonly verdict: RemovalVerdict;
}

/** Decides about all restore points of a set, newest first. */
export function decidePoints(
  points: PointTable,
  set: SetName,
  policy: RetentionPolicy | undefined,
  now: number,
): readonly DecidedPoint[] {
  const ofSet = points.ofSet(set);
  const minimum = points.minimumDays(set);
  const minimumDays = Math.max(minimum.set, minimum.all);
  const rules = { minimumDays, held: points.alarms().length > 0, now };
  const witnessed = witnessTimes(points.timesOf(set.device));
  const [newest] = ofSet;
  const dated = ofSet.map((point) => ({
    point,
    restorePoint: point.time,
    completedAt: point.completed,
    pinned: point.isPinned,
    files: point.files,
  }));
  return decideRetention(dated, policy, now).map(({ point: { point }, keptBecause }) => {
    const lockedUntil = lockEnd(witnessed.get(point.number) ?? point.time, minimumDays);
    const removable = { sequence: point.number, restorePoint: point.time, pinned: point.isPinned, inUse: false };
    return {
      point,
      keptBecause,
      lockedUntil,
      verdict: judgeRemoval(removable, point === newest, lockedUntil, rules),
    };
  });
}

/** Restore points that a policy drops and nothing protects. */
export function removablePoints(
  points: PointTable,
  set: SetName,
  policy: RetentionPolicy | undefined,
  now: number,
): readonly Point[] {
  return decidePoints(points, set, policy, now)
    .filter(({ keptBecause, verdict }) => keptBecause.length === 0 && verdict.kind === 'removable')
    .map(({ point }) => point);
}

export function removalOf(points: readonly Point[]): Fact {
  return { kind: 'removed', points: points.map(({ id }) => id), trees: points.map(({ tree }) => tree) };
}
