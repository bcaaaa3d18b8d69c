import { formatChunkHash } from '../../../protocol/chunk-hash.ts';
import { TREE_PATH } from '../../../protocol/path.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { chunkCount, hexDigestAt } from '../../../format/chunks/chunk-list.ts';
import { findRestorePoint } from '../../../read/source/restore-point.ts';
import type { CompletedRun } from '../../../remote/ports.ts';
import type { TreeSpool } from '../manifest/tree-spool.ts';
import type { OpenTarget } from './open-target.ts';

/**
 * Returns whether a run may be complete although completing it failed: only the answer may have been lost, or spoiled. One that says that the run
 * has another status was understood.
 */
export function mayBeComplete(error: unknown): boolean {
  if (isHoldfastError(error, 'chunk_missing')) return error.details.chunks?.length === 0;
  if (isHoldfastError(error, 'service_broken')) return error.details.field !== 'status';
  return isHoldfastError(error, 'service_error');
}

/**
 * Looks for a run among the restore points of its set: the newest one is that run if it has its footer, which no other run has. Returns
 * `undefined` if it is not there, or if that cannot be found out.
 *
 * @param session stands in for the id of the run if the service lists no restore points
 */
export async function findRun(
  { service, catalog, deviceId }: Pick<OpenTarget, 'service' | 'catalog' | 'deviceId'>,
  { set, session, spool }: { readonly set: string; readonly session: string; readonly spool: TreeSpool },
  signal: AbortSignal | undefined,
): Promise<CompletedRun | undefined> {
  if (service.manifests === 'none') return undefined;
  try {
    const source = { deviceId, backupSet: set, at: 'latest' } as const;
    const { treeChunks, restorePoint } = await findRestorePoint(source, { service, catalog }, signal);
    if (treeChunks?.at(-1) !== footerIn(spool)) return undefined;
    const listed = await service.restorePoints(deviceId, set, signal).catch(() => undefined);
    const own = listed?.find((point) => Date.parse(point.restore_point) === Date.parse(restorePoint));
    // A service may echo the requested time, which is in the future.
    const time = Math.min(Date.parse(restorePoint), service.now());
    return own ?? { backup_id: session, restore_point: formatTimestamp(time) };
  } catch (error) {
    if (!isHoldfastError(error) || isHoldfastError(error, 'interrupted')) throw error;
    return undefined;
  }
}

function footerIn({ reserved }: TreeSpool): string | undefined {
  const chunks = reserved.find(({ path }) => path === TREE_PATH)?.chunks;
  return chunks && formatChunkHash(hexDigestAt(chunks, chunkCount(chunks) - 1));
}
