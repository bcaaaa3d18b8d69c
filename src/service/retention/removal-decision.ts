const DAY = 24 * 3_600_000;

/** A restore point with what may stand against its removal. Times are milliseconds since the epoch. */
export interface RemovablePoint {
  readonly sequence: number;
  readonly restorePoint: number;
  readonly pinned: boolean;
  /** Whether a backup session is relative to it, or a restore of it goes on. */
  readonly inUse: boolean;
}

export interface DatedSequence {
  readonly sequence: number;
  readonly restorePoint: number;
}

export interface RemovalRules {
  /** Days that a restore point has to have, of the set and the account. */
  readonly minimumDays: number;
  readonly held: boolean;
  readonly now: number;
}

export type RemovalVerdict =
  | { readonly kind: 'removable' }
  | { readonly kind: 'newest' | 'pinned' | 'held' | 'in-use' }
  | { readonly kind: 'locked'; readonly until: number };

/**
 * Whether a restore point may go, by whoever asks. What stands against it for ever comes before what ends.
 *
 * @param lockedUntil as `lockEnd` says
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
 * When the minimum retention of a run ends. Its age counts from the latest time that the account had seen when it was
 * completed: while the clock is set back, restore points are not older than those before them.
 *
 * @param witnessedAt as `witnessTimes` says
 */
export function lockEnd(witnessedAt: number, minimumDays: number): number {
  return minimumDays === 0 ? 0 : witnessedAt + minimumDays * DAY;
}

/** For each run of an account, by its sequence: the latest restore point up to it, removed ones counted. */
export function witnessTimes(runs: readonly DatedSequence[]): ReadonlyMap<number, number> {
  let latest = 0;
  const times = new Map<number, number>();
  for (const { sequence, restorePoint } of runs.toSorted((a, b) => a.sequence - b.sequence)) {
    latest = Math.max(latest, restorePoint);
    times.set(sequence, latest);
  }
  return times;
}
