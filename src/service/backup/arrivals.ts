import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import type { ServiceContext } from '../context.ts';
import type { BackupSession } from './store/session.ts';

/** Chunks that are searched for at once: ten listings of the bucket. */
const PAGE = 10_000;

/**
 * Marks the chunks as stored that clients have uploaded directly to a bucket, where every object is durable. Does nothing if blobs
 * are uploaded through the service.
 */
export async function recordArrivals(
  context: ServiceContext,
  { number, accountId }: Pick<BackupSession, 'number' | 'accountId'>,
): Promise<void> {
  const { objects, metadata } = context;
  if (!objects.direct) return;
  let after = 0;
  for (;;) {
    const awaited = await metadata.arrivals.awaited(number, after, PAGE);
    if (awaited.length === 0) return;
    const keys = awaited.map(({ id, digest, size }) => ({
      accountId,
      chunkId: id,
      digest,
      size: size + BLOB_OVERHEAD,
    }));
    const there = await objects.direct.present(keys);
    const stored = awaited.flatMap(({ id, size }, index) => {
      const blobSize = there[index] ?? 0;
      return blobSize > BLOB_OVERHEAD && blobSize <= size + BLOB_OVERHEAD ? [{ id, size, blobSize }] : [];
    });
    if (stored.length > 0) await metadata.chunks.markStored(stored);
    if (awaited.length < PAGE) return;
    after = awaited.at(-1)!.ordinal;
  }
}

/** Marks the uploads of a device's earlier sessions as stored, before a manifest is compared with the stored chunks. */
export async function recordArrivalsOfDevice(
  context: ServiceContext,
  accountId: string,
  deviceId: string,
): Promise<void> {
  if (!context.objects.direct) return;
  for (const number of await context.metadata.arrivals.unfinished(deviceId))
    await recordArrivals(context, { number, accountId });
}
