import { nearestTimes } from '../../base/point-time.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { isReservedPath, KEYS_PATH, RESERVED_PREFIX, TREE_PATH } from '../../protocol/path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { MalformedEntry, ServiceClient } from '../../remote/ports.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { ReadDependencies } from '../types.ts';
import { MINUTE } from '../../model/units.ts';

/** A restore point as the service found it, with the chunks of its reserved entries. */
export interface FoundRestorePoint {
  readonly restoreSessionId: string;
  /** ISO 8601: the restore point's own time. */
  readonly restorePoint: string;
  /** Hashes in order, the footer's last; a destination may list that only. `undefined` if there is no tree. */
  readonly treeChunks: readonly string[] | undefined;
  readonly envelopeChunks: readonly string[] | undefined;
}

/** Entries that a service may answer a request for the reserved ones with; there are two. */
const MOST_RESERVED = 1_000;
/** Files outside of a requested folder after which an answer counts as endless. */
export const MOST_OUTSIDE = 1_000_000;

export type SourceDependencies = Pick<ReadDependencies, 'service' | 'catalog'>;

/** @throws HoldfastError `no_restore_point` with details `{set, deviceId, time, nearest}` */
export async function findRestorePoint(
  source: RestoreSource,
  deps: SourceDependencies,
  signal?: AbortSignal,
): Promise<FoundRestorePoint> {
  const time = source.at === 'latest' ? await latestTime(source, deps, signal) : source.at;
  const request = {
    device_id: source.deviceId,
    backup_set: source.backupSet,
    point_in_time: formatTimestamp(time),
    path: RESERVED_PREFIX,
    recursive: true,
  };
  let tree: RestoreFileEntry | undefined;
  let keys: RestoreFileEntry | undefined;
  let received = 0;
  let outside = 0;
  const onFiles = (files: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]): void => {
    // A service may take no notice of the path.
    const inside = files.filter(({ path }) => isReservedPath(path)).length;
    received += inside + malformed.length;
    outside += files.length - inside;
    if (received > MOST_RESERVED || outside > MOST_OUTSIDE)
      throw new HoldfastError('service_answer_suspicious', { problem: 'too-many-files' });
    tree = files.find((file) => file.path === TREE_PATH) ?? tree;
    keys = files.find((file) => file.path === KEYS_PATH) ?? keys;
  };
  try {
    const head = await deps.service.restoreManifest(request, onFiles, signal);
    const { restore_session_id: restoreSessionId, point_in_time: restorePoint } = head;
    return { restoreSessionId, restorePoint, treeChunks: tree?.chunks, envelopeChunks: keys?.chunks };
  } catch (error) {
    if (!isHoldfastError(error, 'no_restore_point')) throw error;
    // The latest means now, whatever time the request had.
    const wanted = source.at === 'latest' ? deps.service.now() : time;
    const nearest = error.details['nearest'] ?? (await nearestRestorePoints(source, wanted, deps, signal));
    throw new HoldfastError(
      'no_restore_point',
      { ...error.details, time: formatTimestamp(wanted), nearest },
      { cause: error },
    );
  }
}

/**
 * Finds a restore point that was listed. A destination answers for one that was removed meanwhile with the one before it.
 *
 * @throws HoldfastError `no_restore_point` (`removed`), and as `findRestorePoint`
 */
export async function findListedPoint(
  source: RestoreSource,
  deps: SourceDependencies,
  signal?: AbortSignal,
): Promise<FoundRestorePoint> {
  const found = await findRestorePoint(source, deps, signal);
  const { at } = source;
  if (at === 'latest' || Date.parse(found.restorePoint) === at) return found;
  throw new HoldfastError('no_restore_point', { time: formatTimestamp(at), problem: 'removed' });
}

async function latestTime(
  { deviceId, backupSet }: RestoreSource,
  { service, catalog }: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<number> {
  return newestTime(service, catalog.history.newestPoint(deviceId, backupSet)?.restore_point, signal);
}

/** The difference of the service's clock from ours that may go unnoticed, with its Date header rounded. */
export const CLOCK_SLACK_MS = MINUTE;

/** The last time that ISO 8601 writes with a year of four digits. */
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns a time that no restore point is later than. Times of restore points never decrease: if the clock was once ahead,
 * all later ones are in the future, and a request for the current state would return an old one. A service that lists
 * restore points accepts any time; others receive the time of the newest one known here, or the current time. Only a
 * response gives the service's time: a clock that is behind would miss the newest ones.
 *
 * @param known the newest restore point known to this computer, ISO 8601
 * @returns milliseconds since the epoch
 */
export async function newestTime(
  service: Pick<ServiceClient, 'capabilities' | 'now'>,
  known: string | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  if ((await service.capabilities(signal)).has('restore_points')) return END_OF_TIME;
  return Math.max(service.now() + CLOCK_SLACK_MS, known === undefined ? 0 : Date.parse(known));
}

const NEAREST = 5;

/** Times of restore points, nearest first, from the service's list or from the catalog. */
async function nearestRestorePoints(
  source: RestoreSource,
  time: number,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const listed = await deps.service.restorePoints(source.deviceId, source.backupSet, signal).catch(() => undefined);
  const points = listed ?? deps.catalog.history.restorePoints(source.deviceId, source.backupSet);
  return nearestTimes(points, time, NEAREST);
}
