import { DAY } from '../model/units.ts';

/** A restore point with the facts that may prevent its removal. Times are milliseconds since the epoch. */
export interface RemovablePoint {
  readonly sequence: number;
  readonly restorePoint: number;
  readonly pinned: boolean;
  /** True if a backup session is relative to it, or a restore of it is in progress. */
  readonly inUse: boolean;
}

export interface DatedSequence {
  readonly sequence: number;
  readonly restorePoint: number;
}

export interface RemovalRules {
  /** Days for which restore points are kept at least, by the set and the account. */
  readonly minimumDays: number;
  readonly held: boolean;
  readonly now: number;
}

export type RemovalVerdict =
  | { readonly kind: 'removable' }
  | { readonly kind: 'newest' | 'pinned' | 'held' | 'in-use' }
  | { readonly kind: 'locked'; readonly until: number };

/**
 * Decides whether a restore point may be removed. Permanent reasons against it take precedence over temporary ones.
 *
 * @param lockedUntil the result of `lockEnd`
 */
export function judgeRemoval(
  point: RemovablePoint,
  isNewest: boolean,
  lockedUntil: number,
  rules: RemovalRules,
): RemovalVerdict {
  if (isNewest) return { kind: 'newest' };
  if (point.pinned) return { kind: 'pinned' };
  if (lockedUntil > rules.now) return { kind: 'locked', until: lockedUntil };
  if (rules.held) return { kind: 'held' };
  return point.inUse ? { kind: 'in-use' } : { kind: 'removable' };
}

/**
 * Returns when the minimum retention of a run ends. Its age counts from the latest time of any restore point of the account up to it:
 * while the clock is set back, restore points are not older than those before them.
 *
 * @param witnessedAt from `witnessTimes`
 */
export function lockEnd(witnessedAt: number, minimumDays: number): number {
  return minimumDays === 0 ? 0 : witnessedAt + minimumDays * DAY;
}

/** Returns, by the sequence of each run of an account, the time of the latest restore point up to it, including removed ones. */
export function witnessTimes(runs: readonly DatedSequence[]): ReadonlyMap<number, number> {
  let latest = 0;
  const times = new Map<number, number>();
  for (const { sequence, restorePoint } of runs.toSorted((a, b) => a.sequence - b.sequence)) {
    latest = Math.max(latest, restorePoint);
    times.set(sequence, latest);
  }
  return times;
}
