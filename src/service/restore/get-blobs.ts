import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import type { RestoreSession } from '../store/metadata-store.ts';
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
  { objects, metadata, intake, log }: ServiceContext,
  keys: readonly BlobKey[],
  room?: Uint8Array<SharedArrayBuffer>,
): Promise<(Uint8Array | undefined)[]> {
  const blobs = await objects.get(keys, room);
  const lost = keys.filter((_, index) => blobs[index] === undefined).map((key) => key.chunkId);
  if (lost.length > 0) {
    log.error({ chunks: lost.length }, 'blobs that were stored are gone');
    await metadata.chunks.markLost(lost);
    intake.forget(lost);
  }
  return blobs;
}
