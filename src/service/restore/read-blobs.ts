import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';

/** Reads stored blobs. A missing or truncated one is marked as lost, so that the next backup uploads it again. */
export async function readBlobs(
  context: ServiceContext,
  keys: readonly BlobKey[],
): Promise<(Uint8Array | undefined)[]> {
  const blobs = await context.objects.get(keys);
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
