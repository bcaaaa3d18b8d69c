import { BLOB_OVERHEAD } from '../../protocol/chunk.ts';
import { toServiceProblem } from '../request/problem.ts';
import { ChunkIdSet } from '../store/backup/chunk-id-set.ts';
import type { ChunkStore } from '../store/backup/chunk-store.ts';
import type { BlobKey, KeyedBlob, ObjectStore, ReceivedBlob } from '../objects/object-store.ts';

/** Bytes and blobs that may be waiting for the disk before it is told to write them. */
const SETTLE_BYTES = 64 * 2 ** 20;
const SETTLE_BLOBS = 8_192;
/** With so many times as much waiting, whoever brings more waits too. */
const BACKLOG = 3;

/**
 * Between the arrival of a blob and the moment when it counts. A blob can be read as soon as it has arrived; its chunk is
 * marked as stored only after it is on disk, so a crash at any moment leaves blobs that nobody counts on, never chunks
 * without their blobs.
 */
export class BlobIntake {
  readonly #objects: ObjectStore;
  readonly #chunks: ChunkStore;
  /** Chunk numbers whose blobs are being written. */
  readonly #incoming = new Map<number, Promise<void>>();
  /** Chunk numbers whose blobs were settled by this process: one that was on its way meanwhile came too late. */
  readonly #settled = new ChunkIdSet();
  /** Chunk numbers to plaintext sizes: arrived, and not on disk for sure. */
  #arrived = new Map<number, number>();
  /** Those that a settling under way is about. */
  #settlingNow: ReadonlyMap<number, number> = new Map();
  #bytes = 0;
  #running: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(objects: ObjectStore, chunks: ChunkStore) {
    this.#objects = objects;
    this.#chunks = chunks;
  }

  /** Whether the chunk's blob has arrived and will be stored with the next settling. */
  has(chunkId: number): boolean {
    return this.#arrived.has(chunkId) || this.#settlingNow.has(chunkId);
  }

  /**
   * Resolves when the blobs have arrived. Of one chunk the first blob is kept, however many come at once; answers those
   * that were. A failure of an earlier settling in the background is thrown here.
   */
  async put(blobs: readonly KeyedBlob[]): Promise<readonly KeyedBlob[]> {
    this.#throwFailure();
    const first = new Map<number, KeyedBlob>();
    const others: KeyedBlob[] = [];
    for (const blob of blobs) {
      const { chunkId } = blob.key;
      if (this.#isKept(blob.key) || first.has(chunkId)) continue;
      if (this.#incoming.has(chunkId)) others.push(blob);
      else first.set(chunkId, blob);
    }
    const kept = [...first.values()];
    if (kept.length > 0) {
      await this.#take(
        kept.map(({ key }) => key),
        () => this.#objects.put(kept),
      );
    }
    for (const blob of others) {
      await this.#free(blob.key);
      kept.push(...(await this.put([blob])));
    }
    await this.#settleWhenDue();
    return kept;
  }

  /** As `put`, for a blob that came through `ObjectStore.receive`; false where another one of its chunk came first. */
  async keep(key: BlobKey, blob: ReceivedBlob): Promise<boolean> {
    await this.#free(key);
    if (this.#isKept(key)) {
      await blob.discard();
      return false;
    }
    await this.#take([key], () => blob.keep());
    return true;
  }

  /** Their blobs have turned out to be gone, so they may come again. */
  forget(chunkIds: readonly number[]): void {
    for (const id of chunkIds) this.#settled.delete(id);
  }

  /** Everything that has arrived before this call is on disk, and its chunks are marked as stored. */
  settle(): Promise<void> {
    if (!this.#running) return (this.#running = this.#settleNow());
    // One under way may have begun before the newest arrivals; all who come meanwhile share the next one.
    this.#queued ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return (this.#running = this.#settleNow());
      });
    return this.#queued;
  }

  async #take(keys: readonly BlobKey[], work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const { chunkId } of keys) this.#incoming.set(chunkId, promise);
    try {
      await work();
      for (const { chunkId, size } of keys) {
        this.#arrived.set(chunkId, size - BLOB_OVERHEAD);
        this.#bytes += size;
      }
    } finally {
      for (const { chunkId } of keys) this.#incoming.delete(chunkId);
      resolve();
    }
  }

  /** Resolves when no blob of the chunk is on its way any more. */
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
      await this.#chunks.markStored([...settling].map(([id, size]) => ({ id, size })));
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
