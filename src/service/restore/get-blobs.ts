import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import type { RestoreSession } from '../store/restores/restores.ts';
import { handOutChunks } from './restore-access.ts';
import type { RestoreChunkMemory } from './restore-chunks.ts';

/**
 * Blobs of a restore session without HTTP in between, in the order of `hashes`; nothing where the blob is gone.
 *
 * @param room as for `EmbeddedService.getBlobs`
 */
export async function getBlobs(
  context: ServiceContext,
  memory: RestoreChunkMemory,
  session: RestoreSession,
  hashes: readonly string[],
  room?: Uint8Array<SharedArrayBuffer>,
): Promise<(Uint8Array | undefined)[]> {
  const keys = await handOutChunks(context, memory, session, hashes);
  const blobs = await readBlobs(
    context,
    keys.filter((key) => key !== undefined),
    room,
  );
  let next = 0;
  return keys.map((key) => (key ? blobs[next++] : undefined));
}

/** Reads blobs that count as stored. One that is gone, or cut off, stops counting: the next backup brings it again. */
export async function readBlobs(
  context: ServiceContext,
  keys: readonly BlobKey[],
  room?: Uint8Array<SharedArrayBuffer>,
): Promise<(Uint8Array | undefined)[]> {
  const blobs = await context.objects.get(keys, room);
  await noteLost(
    context,
    keys.filter((_, index) => blobs[index] === undefined).map((key) => key.chunkId),
  );
  return blobs;
}

/** Their blobs were stored and are gone. Where nothing can be written the next restore finds out: this one goes on. */
export async function noteLost({ metadata, intake, log }: ServiceContext, chunkIds: readonly number[]): Promise<void> {
  if (chunkIds.length === 0) return;
  log.error({ chunks: chunkIds.length }, 'blobs that were stored are gone');
  try {
    await metadata.chunks.markLost(chunkIds);
  } catch (error) {
    if (diskFailureOf(error) === undefined) throw error;
  }
  intake.forget(chunkIds);
}
