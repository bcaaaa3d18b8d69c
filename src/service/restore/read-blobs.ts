import type { ServiceContext } from '../context.ts';
import type { BlobKey } from '../objects/object-store.ts';
import type { ByteRange } from '../request/answer.ts';
import { ServiceProblem } from '../request/problem.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import { KIB } from '../../model/units.ts';

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

/** The most bytes of a large blob in memory while it is sent: a quarter of 1 MiB with what sealing adds to it. */
export const BLOB_PIECE = 256 * KIB + 32;

/**
 * Reads a part of a stored blob in pieces, each when it is taken; `undefined` if the blob is missing or truncated, which marks it as lost.
 * Rejects the rest if it goes missing later.
 */
export async function readBlobPart(
  context: ServiceContext,
  key: BlobKey,
  { from, to }: ByteRange,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const first = await context.objects.part(key, from, Math.min(to, from + BLOB_PIECE));
  if (first) return restOf(context, key, first, { from: from + first.length, to });
  await recordLost(context, [key.chunkId]);
  return undefined;
}

async function* restOf(
  { objects }: ServiceContext,
  key: BlobKey,
  first: Uint8Array,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  yield first;
  for (let at = from; at < to; at += BLOB_PIECE) {
    const piece = await objects.part(key, at, Math.min(to, at + BLOB_PIECE));
    if (!piece) throw new ServiceProblem('not_found', { detail: 'the blob is gone' });
    yield piece;
  }
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
