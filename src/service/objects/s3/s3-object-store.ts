import { inParallel } from '../in-parallel.ts';
import { collect } from '../collect.ts';
import type { BlobKey, DirectBlobs, KeyedBlob, ObjectStore, PresignedPut, ReceivedBlob } from '../object-store.ts';
import { blobName, accountFolder, nameBefore, parseBlobName } from './blob-names.ts';
import { PARALLEL_REQUESTS, type Bucket } from '../../../storage/bucket/bucket.ts';
import { planListings } from './listing-plan.ts';

/** Stores each blob as an object of a bucket. An acknowledged object is durable. */
export function openS3ObjectStore(bucket: Bucket): ObjectStore & { readonly direct: DirectBlobs } {
  return new S3ObjectStore(bucket);
}

class S3ObjectStore implements ObjectStore {
  readonly direct: DirectBlobs;
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
    this.direct = new S3DirectBlobs(bucket);
  }

  async put(blobs: readonly KeyedBlob[]): Promise<void> {
    await inParallel(blobs, PARALLEL_REQUESTS, ({ key, bytes }) => this.#bucket.put(blobName(key), bytes));
  }

  async receive(key: BlobKey, body: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const bytes = await collect(body, key.size);
    return { keep: () => this.put([{ key, bytes }]), discard: async () => undefined };
  }

  async flush(): Promise<void> {
    // An acknowledged PUT is durable.
  }

  async get(keys: readonly BlobKey[]): Promise<(Uint8Array | undefined)[]> {
    const found: (Uint8Array | undefined)[] = keys.map(() => undefined);
    await inParallel([...keys.entries()], PARALLEL_REQUESTS, async ([index, key]) => {
      const bytes = await this.#bucket.get(blobName(key));
      if (bytes?.length === key.size) found[index] = bytes;
    });
    return found;
  }

  async part(key: BlobKey, from: number, to: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#bucket.get(blobName(key), [from, to - from]);
    return bytes?.length === to - from ? bytes : undefined;
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    if (keys.length > 0) await this.#bucket.delete(keys.map(blobName));
  }

  async close(): Promise<void> {
    this.#bucket.close();
  }
}

class S3DirectBlobs implements DirectBlobs {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  async presignPut(key: BlobKey, now: number, seconds: number): Promise<PresignedPut> {
    const url = await this.#bucket.presignPut(blobName(key), key.size, now, seconds);
    return {
      url,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(key.size),
        'If-None-Match': '*',
      },
    };
  }

  presignGet(key: BlobKey, now: number, seconds: number): Promise<string> {
    return this.#bucket.presignGet(blobName(key), now, seconds);
  }

  async present(keys: readonly BlobKey[]): Promise<readonly (number | undefined)[]> {
    const there = new Map<BlobKey, number>();
    const { ranges, single } = planListings(keys);
    await inParallel(ranges, PARALLEL_REQUESTS, (range) => this.#list(range, there));
    await inParallel(single, PARALLEL_REQUESTS, async (key) => {
      const size = await this.#bucket.size(blobName(key));
      if (size !== undefined) there.set(key, size);
    });
    return keys.map((key) => there.get(key));
  }

  /** Lists until the last key, since other blobs of the account may be in between. */
  async #list(keys: readonly BlobKey[], there: Map<BlobKey, number>): Promise<void> {
    const first = keys[0]!;
    const last = keys.at(-1)!;
    const wanted = new Map(keys.map((key) => [blobName(key), key]));
    let after = nameBefore(first.accountId, first.chunkId);
    for (;;) {
      const objects = await this.#bucket.list(accountFolder(first.accountId), after);
      for (const { name, size } of objects) {
        const key = wanted.get(name);
        if (key) there.set(key, size);
      }
      const reached = objects.at(-1)?.name;
      if (reached === undefined || (parseBlobName(reached)?.chunkId ?? 0) >= last.chunkId) return;
      after = reached;
    }
  }
}
