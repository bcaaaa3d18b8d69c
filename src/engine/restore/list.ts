import type { RestorePoint } from '../../protocol/extensions.ts';
import type { ListedEntry, ListRequest, RestoreDependencies, RestoreSource } from './types.ts';

/** Newest first: what the service lists, or what this computer made or saw where the service has no list. */
export async function listRestorePoints(
  source: Pick<RestoreSource, 'deviceId' | 'backupSet'>,
  deps: Pick<RestoreDependencies, 'service' | 'catalog'>,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  const known = deps.catalog.history.restorePoints(source.deviceId, source.backupSet);
  const listed = await deps.service.restorePoints(source.deviceId, source.backupSet, signal);
  const points = listed ?? known;
  return points.toSorted((a, b) => Date.parse(b.restore_point) - Date.parse(a.restore_point));
}

/**
 * What a folder held, in batches as they become known: the service's files of that folder first where it can give them,
 * then folders and links from the tree.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found`, `tree_invalid`, and what the service throws
 */
export async function* listEntries(
  request: ListRequest,
  deps: RestoreDependencies,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  yield await Promise.reject(new Error(`not built yet: ${request.path} ${deps.scratch} ${String(signal)}`));
}
