import { toServiceProblem } from '../request/problem.ts';
import { ChunkIdSet } from './store/chunk-id-set.ts';
import type { ChunkStore, StoredSizes } from './store/chunk-store.ts';
import type { BlobKey, KeyedBlob, ObjectStore, ReceivedBlob } from '../objects/object-store.ts';

export interface ArrivingBlob extends KeyedBlob {
  readonly plaintextSize: number;
}

/** Bytes and blobs that may arrive before they are flushed. */
const SETTLE_BYTES = 64 * 2 ** 20;
const SETTLE_BLOBS = 8_192;
/** With this many times as much waiting, further uploads wait for the flush. */
const BACKLOG = 3;

/**
 * Receives blobs and marks their chunks as stored. A blob is readable as soon as it has arrived, but its chunk is marked only once the
 * blob is durable: a crash at any moment may leave blobs without a stored chunk, but never a stored chunk without its blob.
 */
export class BlobIntake {
  readonly #objects: ObjectStore;
  readonly #chunks: ChunkStore;
  /** Ids of chunks whose blobs are being written. */
  readonly #incoming = new Map<number, Promise<void>>();
  /** Ids of chunks that this process has settled, so that a concurrent upload of the same chunk is recognized. */
  readonly #settled = new ChunkIdSet();
  /** Blobs that have arrived and may not be durable yet, by chunk id. */
  #arrived = new Map<number, StoredSizes>();
  /** The blobs that are being settled. */
  #settlingNow: ReadonlyMap<number, StoredSizes> = new Map();
  #bytes = 0;
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(objects: ObjectStore, chunks: ChunkStore) {
    this.#objects = objects;
    this.#chunks = chunks;
  }

  /** Returns whether the chunk's blob has arrived and will be settled. */
  has(chunkId: number): boolean {
    return this.#arrived.has(chunkId) || this.#settlingNow.has(chunkId);
  }

  /**
   * Stores blobs and returns the new ones: of concurrent blobs of one chunk, the first is kept. Throws the failure of an earlier
   * settling in the background.
   */
  async put(blobs: readonly ArrivingBlob[]): Promise<readonly ArrivingBlob[]> {
    this.#throwFailure();
    const first = new Map<number, ArrivingBlob>();
    const others: ArrivingBlob[] = [];
    for (const blob of blobs) {
      const { chunkId } = blob.key;
      if (this.#isKept(blob.key) || first.has(chunkId)) continue;
      if (this.#incoming.has(chunkId)) others.push(blob);
      else first.set(chunkId, blob);
    }
    const kept = [...first.values()];
    if (kept.length > 0) {
      await this.#take(kept, () => this.#objects.put(kept));
    }
    for (const blob of others) {
      await this.#free(blob.key);
      kept.push(...(await this.put([blob])));
    }
    await this.#settleWhenDue();
    return kept;
  }

  /** Keeps a blob from `ObjectStore.receive`; returns false if another blob of its chunk was first. */
  async keep(key: BlobKey, plaintextSize: number, blob: ReceivedBlob): Promise<boolean> {
    await this.#free(key);
    if (this.#isKept(key)) {
      await blob.discard();
      return false;
    }
    await this.#take([{ key, plaintextSize }], () => blob.keep());
    return true;
  }

  /** Allows chunks to be uploaded again after their blobs were lost. */
  forget(chunkIds: readonly number[]): void {
    for (const id of chunkIds) this.#settled.delete(id);
  }

  /** Makes all blobs that arrived before this call durable, and marks their chunks as stored. */
  settle(): Promise<void> {
    if (!this.#running) return (this.#running = this.#settleNow());
    // A settling in progress may not include the newest arrivals; all calls meanwhile share the next one.
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return (this.#running = this.#settleNow());
      });
    return this.#queued;
  }

  async #take(blobs: readonly Omit<ArrivingBlob, 'bytes'>[], work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const { key } of blobs) this.#incoming.set(key.chunkId, promise);
    try {
      await work();
      for (const { key, plaintextSize } of blobs) {
        this.#arrived.set(key.chunkId, { size: plaintextSize, blobSize: key.size });
        this.#bytes += key.size;
      }
    } finally {
      for (const { key } of blobs) this.#incoming.delete(key.chunkId);
      resolve();
    }
  }

  /** Waits until no blob of the chunk is being written. */
  async #free({ chunkId }: BlobKey): Promise<void> {
    for (let coming = this.#incoming.get(chunkId); coming; coming = this.#incoming.get(chunkId)) await coming;
  }

  #isKept({ chunkId }: BlobKey): boolean {
    return this.has(chunkId) || this.#settled.has(chunkId);
  }

  async #settleWhenDue(): Promise<void> {
    if (this.#bytes < SETTLE_BYTES && this.#arrived.size < SETTLE_BLOBS) return;
    const settled = this.settle();
    if (this.#bytes >= SETTLE_BYTES * BACKLOG || this.#arrived.size >= SETTLE_BLOBS * BACKLOG) await settled;
    else settled.catch((error: unknown) => (this.#failure ??= toServiceProblem(error)));
  }

  async #settleNow(): Promise<void> {
    const settling = this.#arrived;
    this.#arrived = new Map();
    this.#settlingNow = settling;
    this.#bytes = 0;
    try {
      if (settling.size === 0) return;
      await this.#objects.flush();
      await this.#chunks.markStored(Array.from(settling, ([id, { size, blobSize }]) => ({ id, size, blobSize })));
      for (const id of settling.keys()) this.#settled.add(id);
    } finally {
      this.#settlingNow = new Map();
      this.#running = undefined;
    }
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }
}
