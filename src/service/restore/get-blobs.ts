import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import type { RestoreSession } from '../store/restores/restores.ts';
import { handOutChunks } from './restore-access.ts';
import type { RestoreContext } from './restore-chunks.ts';

/**
 * Reads blobs of a restore session without HTTP in between, in the order of `hashes`; `undefined` for missing blobs.
 *
 * @param room see `EmbeddedService.getBlobs`
 */
export async function getBlobs(
  context: RestoreContext,
  session: RestoreSession,
  hashes: readonly string[],
  room?: Uint8Array<SharedArrayBuffer>,
): Promise<(Uint8Array | undefined)[]> {
  const keys = await handOutChunks(context, session, hashes);
  const blobs = await readBlobs(
    context.service,
    keys.filter((key) => key !== undefined),
    room,
  );
  let next = 0;
  return keys.map((key) => (key ? blobs[next++] : undefined));
}

/** Reads stored blobs. A missing or truncated one is marked as lost, so that the next backup uploads it again. */
export async function readBlobs(
  context: ServiceContext,
  keys: readonly BlobKey[],
  room?: Uint8Array<SharedArrayBuffer>,
): Promise<(Uint8Array | undefined)[]> {
  const blobs = await context.objects.get(keys, room);
  await recordLost(
    context,
    keys.filter((_, index) => blobs[index] === undefined).map((key) => key.chunkId),
  );
  return blobs;
}

/** Marks chunks as lost whose blobs are missing. If the disk cannot be written, the restore continues and the next one finds out. */
export async function recordLost(
  { metadata, intake, log }: ServiceContext,
  chunkIds: readonly number[],
): Promise<void> {
  if (chunkIds.length === 0) return;
  log.error({ chunks: chunkIds.length }, 'blobs that were stored are gone');
  try {
    await metadata.chunks.markLost(chunkIds);
  } catch (error) {
    if (diskFailureOf(error) === undefined) throw error;
  }
  intake.forget(chunkIds);
}
