import type { ServiceContext } from '../context.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import type { BlobKey } from '../objects/object-store.ts';
import type { LostChunk } from '../backup/store/chunk-store.ts';

/** Chunks that are searched for at once. */
const PAGE = 1_000;

type Context = Pick<ServiceContext, 'metadata' | 'objects' | 'intake' | 'log'>;

/**
 * Marks those of the account's lost chunks as stored again whose blobs are back with their former lengths, as after a disk that was
 * not mounted. Returns their number.
 */
export async function findLost(context: Context, accountId: string, ids: readonly number[]): Promise<number> {
  const { metadata, objects, log } = context;
  let found = 0;
  for (let from = 0; from < ids.length; from += PAGE) {
    const lost = await metadata.chunks.lostAmong(ids.slice(from, from + PAGE));
    const keyed = lost.map((chunk) => ({ chunk, key: keyOf(accountId, chunk) }));
    try {
      if (keyed.length > 0) found += await (objects.direct ? findInBucket : findInFolder)(context, keyed);
    } catch (error) {
      // A restore continues without these when the disk cannot be written.
      if (diskFailureOf(error) === undefined) throw error;
    }
  }
  if (found > 0) log.info({ chunks: found }, 'blobs that were gone are back');
  return found;
}

/** Searches for all lost chunks of all accounts. */
export async function findAllLost(context: Context, signal: AbortSignal): Promise<void> {
  const { retention, chunks } = context.metadata;
  for (const { id, number } of await retention.accounts()) {
    if (signal.aborted) return;
    await findLost(context, id, await chunks.lost(number));
  }
}

function keyOf(accountId: string, { id, digest, blobSize }: LostChunk): BlobKey {
  return { accountId, chunkId: id, digest, size: blobSize };
}

interface Keyed {
  readonly chunk: LostChunk;
  readonly key: BlobKey;
}

/** An object is never replaced, so that it cannot change before its chunk is marked. */
async function findInBucket({ metadata, objects }: Context, keyed: readonly Keyed[]): Promise<number> {
  const there = await objects.direct!.present(keyed.map(({ key }) => key));
  const found = keyed.filter(({ key }, index) => there[index] === key.size).map(({ chunk }) => chunk);
  if (found.length > 0) await metadata.chunks.markStored(found);
  return found.length;
}

/** Found blobs arrive like uploaded ones, so that an upload of the same chunk at this moment waits, or is waited for. */
async function findInFolder({ objects, intake }: Context, keyed: readonly Keyed[]): Promise<number> {
  let found = 0;
  for (const { chunk, key } of keyed) {
    const isKept = await intake
      .keep(key, chunk.size, {
        keep: async () => {
          const [bytes] = await objects.get([key]);
          if (!bytes) throw new StillLost();
        },
        discard: async () => undefined,
      })
      .catch((error: unknown) => {
        if (error instanceof StillLost) return false;
        throw error;
      });
    if (isKept) found += 1;
  }
  if (found > 0) await intake.settle();
  return found;
}

class StillLost extends Error {
  override readonly name = 'StillLost';
}
