import { isNotFound } from '../../base/errors/is-not-found.ts';
import type { KnownPoint } from '../../catalog/history.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import type { ListedPoint } from '../../remote/ports.ts';
import type { RetentionState } from '../../protocol/retention.ts';
import { surelyKept } from '../../rules/surely-kept.ts';
import type { OperationContext } from './operation-context.ts';

interface ListedPoints {
  readonly set: string;
  /** What the destination lists. */
  readonly listed: readonly ListedPoint[];
  /** What this computer knows of its own set; newest first. */
  readonly known: readonly KnownPoint[];
  readonly signal: AbortSignal | undefined;
}

/** How a destination's list differs from what this computer knows. */
export interface ChangesOfKnown {
  readonly warnings: readonly RunWarning[];
  /** Known restore points that are not listed, also those that a policy has removed. */
  readonly missing: readonly RestorePoint[];
}

/**
 * Compares restore points of this computer that a service lists with those that it knows: one that is not listed although neither this
 * computer removed it nor its policy drops it, and one with another time, is a warning. What a repository lacks is found by its ledgers.
 *
 * @throws HoldfastError what the service throws
 */
export async function changesOfKnown(
  { access, settings: { deviceId } }: OperationContext,
  { set, listed, known, signal }: ListedPoints,
): Promise<ChangesOfKnown> {
  const times = new Map(known.map(({ backup_id: id, restore_point: time }) => [id, time]));
  const moved = listed.flatMap(({ backup_id: id, restore_point: time }) => {
    const made = times.get(id) ?? time;
    return Date.parse(made) === Date.parse(time) ? [] : [{ path: `${set} ${made}`, reason: 'moved-run' }];
  });
  const there = new Set(listed.map(({ backup_id: id }) => id));
  const missing = access.service.manifests === 'none' ? [] : known.filter(({ backup_id: id }) => !there.has(id));
  if (missing.length === 0) return { warnings: moved, missing };
  const certain = certainPoints({ listed, known, missing, state: await stateOf(access, deviceId, set, signal) });
  const unexplained = missing.filter(({ backup_id: id }) => certain.has(id));
  const lost = unexplained.map(({ restore_point: time }) => ({ path: `${set} ${time}`, reason: 'missing-run' }));
  return { warnings: [...moved, ...lost], missing };
}

/** Returns `undefined` at a service that has no policies, or does not know the set. */
async function stateOf(
  access: OperationContext['access'],
  deviceId: string,
  set: string,
  signal: AbortSignal | undefined,
): Promise<RetentionState | undefined> {
  try {
    return (await access.retention({ action: 'show', device_id: deviceId, backup_set: set }, signal)).state;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface JudgedPoints {
  readonly listed: readonly ListedPoint[];
  readonly known: readonly KnownPoint[];
  readonly missing: readonly RestorePoint[];
  readonly state: Pick<RetentionState, 'policy' | 'policy_since'> | undefined;
}

/**
 * Returns the ids of the restore points that an honest service still has: those that its policy surely kept. An earlier policy may have
 * dropped what was there before the present one, unless this computer saw it after that. The newest one stays whatever the policy.
 */
function certainPoints({ listed, known, missing, state }: JudgedPoints): ReadonlySet<string> {
  const byId = new Map(known.map((point) => [point.backup_id, point]));
  const dated = [...listed, ...missing].map((point) => {
    const { backup_id: id, restore_point: time, completed_at: completed } = byId.get(point.backup_id) ?? point;
    const completedAt = completed === undefined ? undefined : Date.parse(completed);
    return { id, restorePoint: Date.parse(time), completedAt, pinned: false };
  });
  const seenUntil = Math.max(0, ...known.filter(({ isListed }) => isListed).map(timeOf));
  const newest = Math.max(...dated.map(({ restorePoint }) => restorePoint));
  if (!state) return new Set(dated.filter(({ restorePoint }) => restorePoint === newest).map(({ id }) => id));
  const since = state.policy_since ? Date.parse(state.policy_since) : 0;
  const kept = state.policy ? surelyKept(dated, state.policy) : new Set(dated);
  const certain = dated.filter(
    (point) => point.restorePoint === newest || (kept.has(point) && since < Math.max(point.restorePoint, seenUntil)),
  );
  return new Set(certain.map(({ id }) => id));
}

function timeOf({ restore_point: time }: ListedPoint): number {
  return Date.parse(time);
}
