import type { RunWarning } from '../../engine/job/run-warning.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
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
  /** Known restore points that are not listed, also those that a policy may have removed. */
  readonly missing: readonly RestorePoint[];
}

/**
 * Compares restore points of this computer that a service lists with those that it knows: one that is not listed although neither this
 * computer nor a policy removed it, and one with another time, is a warning. What a repository lacks is found by its ledgers.
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
  // A policy never removes the newest.
  const unexplained = policy === null ? missing : missing.filter((point) => point === known[0]);
  const lost = unexplained.map(({ restore_point: time }) => ({ path: `${set} ${time}`, reason: 'missing-run' }));
  return { warnings: [...moved, ...lost], missing };
}
