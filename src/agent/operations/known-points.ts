import type { RunWarning } from '../../engine/job/run-warning.ts';
import { CLOCK_SLACK_MS } from '../../engine/restore/source/restore-point.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import type { RetentionPolicy } from '../../protocol/retention.ts';
import { decideRetention } from '../../rules/retention-policy.ts';
import type { OperationContext } from '../context/operation-context.ts';

interface ListedPoints {
  readonly set: string;
  /** What the destination lists. */
  readonly listed: readonly RestorePoint[];
  /** What this computer knows of its own set; newest first. */
  readonly known: readonly RestorePoint[];
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
  const { policy } = (await access.retention({ action: 'show', device_id: deviceId, backup_set: set }, signal)).state;
  const kept = policy && keptBy(policy, { listed, missing, newest: known[0]!, now: access.service.now() });
  const unexplained = kept ? missing.filter(({ backup_id: id }) => kept.has(id)) : missing;
  const lost = unexplained.map(({ restore_point: time }) => ({ path: `${set} ${time}`, reason: 'missing-run' }));
  return { warnings: [...moved, ...lost], missing };
}

interface CountedPoints {
  readonly listed: readonly RestorePoint[];
  readonly missing: readonly RestorePoint[];
  readonly newest: RestorePoint;
  readonly now: number;
}

/**
 * Returns the ids of the restore points that a policy keeps. One that it keeps among all of them it has kept at any earlier time: what it
 * drops stays dropped whatever comes later. After a clock that was ahead nobody but the service knows when the missing ones were made:
 * then only the newest is certain.
 */
function keptBy(policy: RetentionPolicy, { listed, missing, newest, now }: CountedPoints): ReadonlySet<string> {
  const dated = [...listed, ...missing].map(({ backup_id: id, restore_point: time, files }) => ({
    id,
    restorePoint: Date.parse(time),
    pinned: false,
    files,
  }));
  if (dated.some(({ restorePoint }) => restorePoint > now + CLOCK_SLACK_MS)) return new Set([newest.backup_id]);
  const kept = decideRetention(dated, policy, now).filter(({ keptBecause }) => keptBecause.length > 0);
  return new Set(kept.map(({ point }) => point.id));
}
