import type { RestorePoint } from '../../protocol/extensions.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { failureOf, type Failure } from '../../base/errors/failure.ts';
import type { KnownPoint } from '../../catalog/history.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { listRestorePoints } from '../../read/list.ts';
import { partsAt, type AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import { withContext } from '../context/open-context.ts';
import type { OperationContext } from '../context/operation-context.ts';
import { requireStoredSettings, type StoredSettings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import { chooseDestination, deviceAt } from './restore/choose-destination.ts';
import { sourceOf, type SetReference, type SetSource } from '../context/set-source.ts';
import { isNotFound } from '../../base/errors/is-not-found.ts';

/** Lists the restore points of a set, newest first. @throws HoldfastError `set_unknown` */
export function points(
  parts: AgentParts,
  reference: SetReference,
  { signal }: OperationRun = {},
): Promise<readonly RestorePoint[]> {
  return withContext(parts, {}, async (context) =>
    listPoints(context, await sourceOf(context, reference, signal), signal),
  );
}

export interface PinnedPoint {
  readonly point: RestorePoint;
  /** True if it is kept regardless of the policy. `undefined` if the destination has no pins. */
  readonly isPinned: boolean | undefined;
}

export interface PinnedPoints {
  /** Newest first. */
  readonly points: readonly PinnedPoint[];
  /** What the list may hide. */
  readonly warnings: readonly RunWarning[];
}

/** Restore points at one destination. */
export interface PointsAt {
  readonly entry: DestinationEntry;
  readonly points: readonly RestorePoint[];
  /** The reason, if they cannot be listed. */
  readonly failure?: Failure;
}

/**
 * Lists the restore points of a set at each destination.
 *
 * @throws HoldfastError `set_unknown`, and what the first destination throws if none can be listed
 */
export async function pointsEverywhere(
  parts: AgentParts,
  reference: SetReference,
  { signal }: OperationRun = {},
): Promise<readonly PointsAt[]> {
  const stored = requireStoredSettings(parts.home);
  const answers = await Promise.allSettled(
    stored.destinations.map((entry) =>
      points(partsAt(parts, entry.id), referenceAt(stored, entry, reference), { signal }),
    ),
  );
  signal?.throwIfAborted();
  if (answers.every(({ status }) => status === 'rejected')) throw (answers[0] as PromiseRejectedResult).reason;
  return answers.map((answer, index) => {
    const entry = stored.destinations[index]!;
    if (answer.status === 'fulfilled') return { entry, points: answer.value };
    const failure = failureOf(answer.reason);
    if (!failure) throw answer.reason;
    return { entry, points: [], failure };
  });
}

/** Like `pinnedPoints`, at the destination that a restore of the newest one would read. */
export async function nearestPoints(
  parts: AgentParts,
  reference: SetReference,
  { signal }: OperationRun = {},
): Promise<PinnedPoints & { readonly entry: DestinationEntry }> {
  const stored = requireStoredSettings(parts.home);
  const { entry, hidden } = await chooseDestination(parts, { ...reference, at: 'latest' }, signal);
  const there = referenceAt(stored, entry, reference);
  const { points: pinned, warnings } = await pinnedPoints(partsAt(parts, entry.id), there, { signal });
  const others = hidden.filter(({ id }) => id !== entry.id).flatMap((elsewhere) => elsewhere.warnings);
  return { entry, points: pinned, warnings: [...warnings, ...others] };
}

/** A device has an id of its own at each destination. */
function referenceAt(stored: StoredSettings, entry: DestinationEntry, reference: SetReference): SetReference {
  const { device } = reference;
  return device === undefined ? reference : { ...reference, device: deviceAt(stored, entry, device) };
}

/** Like `points`, with the pins. */
export function pinnedPoints(
  parts: AgentParts,
  reference: SetReference,
  { signal }: OperationRun = {},
): Promise<PinnedPoints> {
  return withContext(parts, {}, async (context) => {
    const source = await sourceOf(context, reference, signal);
    const asKnown = await listPoints(context, source, signal);
    const pinned = asKnown.length === 0 ? undefined : await pinnedBackups(context, source, signal);
    return {
      points: asKnown.map((point) => ({ point, isPinned: pinned?.has(point.backup_id) })),
      warnings: context.watched.of(source),
    };
  });
}

/**
 * A service counts the entries that Holdfast keeps for itself among the files. For backups of this computer the catalog's
 * own count is used, so that every view shows the same number.
 */
async function listPoints(
  { catalog, access }: OperationContext,
  source: SetSource,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  try {
    const found = await listRestorePoints(source, { service: access.service, catalog }, signal);
    const known = catalog.history.restorePoints(source.deviceId, source.backupSet);
    const byId = new Map(known.map((point) => [point.backup_id, point]));
    return found.map((point) => ownPoint(byId.get(point.backup_id)) ?? point);
  } catch (error) {
    // The service does not know a set that was never backed up.
    if (isNotFound(error)) return [];
    throw error;
  }
}

function ownPoint(known: KnownPoint | undefined): RestorePoint | undefined {
  if (!known) return undefined;
  const { isListed: _isListed, ...point } = known;
  return point;
}

/** Other services have no pins, and their restore points are listed all the same. */
async function pinnedBackups(
  { access }: OperationContext,
  { deviceId, backupSet }: SetSource,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const asked = access.retention({ action: 'show', device_id: deviceId, backup_set: backupSet }, signal);
  const answer = await asked.catch((error: unknown) => {
    if (isHoldfastError(error)) return undefined;
    throw error;
  });
  return answer && new Set(answer.state.points.filter(({ pinned }) => pinned).map(({ backup_id: id }) => id));
}
