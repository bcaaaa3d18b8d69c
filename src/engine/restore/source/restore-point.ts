import type { RestoreFileEntry } from '../../../protocol/restore.ts';
import { KEYS_PATH, RESERVED_PREFIX, TREE_PATH } from '../../../protocol/path.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import { isHoldfastError, HoldfastError } from '../../../base/errors.ts';
import { newestTime } from './newest-time.ts';
import type { RestoreDependencies, RestoreSource } from '../types.ts';

/** What the first question to the service tells: which restore point it is, and where its tree is. */
export interface TreeEntry {
  readonly restoreSessionId: string;
  /** ISO 8601: the restore point's own time. */
  readonly restorePoint: string;
  /** Hashes of the tree's chunks in order; nothing where another program made the backup. */
  readonly chunks: readonly string[] | undefined;
  /** The same of the key envelope. */
  readonly envelope: readonly string[] | undefined;
}

export type SourceDependencies = Pick<RestoreDependencies, 'service' | 'catalog'>;

/** @throws HoldfastError `no_restore_point` with details `{set, deviceId, time, nearest}` */
export async function findTreeEntry(
  source: RestoreSource,
  deps: SourceDependencies,
  signal?: AbortSignal,
): Promise<TreeEntry> {
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
  const onFiles = (files: readonly RestoreFileEntry[]): void => {
    tree = files.find((file) => file.path === TREE_PATH) ?? tree;
    keys = files.find((file) => file.path === KEYS_PATH) ?? keys;
  };
  try {
    const head = await deps.service.restoreManifest(request, onFiles, signal);
    const { restore_session_id: restoreSessionId, point_in_time: restorePoint } = head;
    return { restoreSessionId, restorePoint, chunks: tree?.chunks, envelope: keys?.chunks };
  } catch (error) {
    if (!isHoldfastError(error, 'no_restore_point')) throw error;
    // What was asked for was now, whatever time stood for it.
    const asked = source.at === 'latest' ? deps.service.now() : time;
    const nearest = error.details['nearest'] ?? (await nearestRestorePoints(source, asked, deps, signal));
    throw new HoldfastError(
      'no_restore_point',
      { ...error.details, time: formatTimestamp(asked), nearest },
      { cause: error },
    );
  }
}

async function latestTime(
  { deviceId, backupSet }: RestoreSource,
  { service, catalog }: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<number> {
  return newestTime(service, catalog.history.newestPoint(deviceId, backupSet)?.restore_point, signal);
}

const NEAREST = 5;

/** Times of restore points, nearest first, from the service's list or from what this computer saw. */
async function nearestRestorePoints(
  source: RestoreSource,
  time: number,
  deps: SourceDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const listed = await deps.service.restorePoints(source.deviceId, source.backupSet, signal).catch(() => undefined);
  const points = listed ?? deps.catalog.history.restorePoints(source.deviceId, source.backupSet);
  const distance = (point: string): number => Math.abs(Date.parse(point) - time);
  return points
    .map((point) => point.restore_point)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, NEAREST);
}
