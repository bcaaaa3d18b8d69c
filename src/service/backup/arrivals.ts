import { BLOB_OVERHEAD } from '../../protocol/chunk.ts';
import type { ServiceContext } from '../context.ts';
import type { BackupSession } from '../store/backup/session-store.ts';

/** Chunks that are looked for at once: ten listings of the storage. */
const PAGE = 10_000;

/**
 * Marks as stored what clients have brought to a storage that they reach by themselves; does nothing where blobs come
 * through the service. What it finds there is on the storage's disks.
 */
export async function noteArrivals(
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
    const stored = awaited.filter((_, index) => there[index]);
    if (stored.length > 0) await metadata.chunks.markStored(stored.map(({ id, size }) => ({ id, size })));
    if (awaited.length < PAGE) return;
    after = awaited.at(-1)!.ordinal;
  }
}

/** Before a manifest is compared with what is stored: what earlier tries of the same device have brought counts. */
export async function noteArrivalsOf(context: ServiceContext, accountId: string, deviceId: string): Promise<void> {
  if (!context.objects.direct) return;
  for (const number of await context.metadata.arrivals.unfinished(deviceId))
    await noteArrivals(context, { number, accountId });
}
