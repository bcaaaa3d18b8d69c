import { plaintextSizeOf } from '../../format/crypto/blob.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { BlobDownloader, BlobSource } from '../../remote/ports.ts';
import { chunkAttempts } from './fetch-chunks.ts';
import { isInSharedMemory, type FetchedChunk, type WrittenChunk } from './packed-chunks.ts';
import { hashesBySession, type ChunkMark, type WantedChunk } from './wanted-chunks.ts';

/** A place where this restore has written a chunk. */
export interface ChunkLocation {
  /** A path below the target folder. Changes when the file gets its final name. */
  target: string;
  readonly offset: number;
  readonly length: number;
}

/** Returns whether a chunk comes from a file of the target, which somebody may have changed, and not from the service. */
export function isFromTarget(chunk: FetchedChunk | undefined): boolean {
  return chunk?.from !== undefined;
}

/** Chunks of files that existed before the restore. They are verified like others, since a file may have changed meanwhile. */
export interface LocalChunks {
  /** @param hash `sha256:…` */
  find(hash: string): ChunkLocation | undefined;
  /** The chunk turned out not to be there. */
  forget(hash: string): void;
}

interface CachedBlob {
  readonly mark: ChunkMark;
  readonly bytes: Uint8Array;
  readonly source: BlobSource | undefined;
}

/** Sealed bytes of repeated chunks that are cached. */
const CACHE_BYTES = 16 * 2 ** 20;
const CACHE_UNWRITTEN_BYTES = 3 * CACHE_BYTES;

/**
 * Fetches each chunk from the service once. A chunk that is needed again comes from memory for a while, then from the file
 * that it was written to. Concurrent requests for one chunk share a download.
 */
export class ChunkSource {
  readonly #downloader: BlobDownloader;
  readonly #repeated: ReadonlySet<ChunkMark>;
  readonly #open: (location: ChunkLocation) => WrittenChunk | undefined;
  readonly #local: LocalChunks | undefined;
  readonly #cache = new Map<string, CachedBlob>();
  #cachedBytes = 0;
  readonly #written = new Map<ChunkMark, ChunkLocation>();
  readonly #downloading = new Map<string, Promise<void>>();

  /** @param open makes a written chunk readable for a while, or returns `undefined` if its file is out of reach */
  constructor(
    downloader: BlobDownloader,
    repeated: ReadonlySet<ChunkMark>,
    open: (location: ChunkLocation) => WrittenChunk | undefined,
    local?: LocalChunks,
  ) {
    this.#local = local;
    this.#downloader = downloader;
    this.#repeated = repeated;
    this.#open = open;
  }

  /**
   * @param chunks without duplicates
   * @param arena may hold the blobs until the next call with it
   */
  async fetch(
    chunks: readonly WantedChunk[],
    arena: BlobArena,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, FetchedChunk>> {
    arena.clear();
    const fetched = new Map<string, FetchedChunk>();
    let left = chunks;
    while (left.length > 0) {
      const missing = left.filter((chunk) => !this.#take(chunk, fetched));
      const others = missing.filter((chunk) => this.#downloading.has(chunk.hash));
      const own = missing.filter((chunk) => !this.#downloading.has(chunk.hash));
      const waits = others.map((chunk) => this.#downloading.get(chunk.hash) ?? Promise.resolve());
      if (own.length > 0) await this.#download(own, fetched, arena, signal);
      await Promise.all(waits);
      // The other download may have failed, or its chunk may have been evicted again.
      left = others;
    }
    return fetched;
  }

  /** Returns whether `wrote` should be called for the chunk. */
  isRepeated({ mark }: WantedChunk): boolean {
    return this.#repeated.has(mark);
  }

  /** Must be called after a repeated chunk was verified and written. */
  wrote({ mark }: WantedChunk, location: ChunkLocation): void {
    if (!this.#written.has(mark)) this.#written.set(mark, location);
  }

  /** The number of requests for a missing or damaged chunk before it counts as lost. */
  get attempts(): number {
    return chunkAttempts(this.#downloader);
  }

  /** Drops those chunks of a batch that could not be opened: the next ones come from the service. */
  forgetUnopened(
    chunks: readonly WantedChunk[],
    sizes: ReadonlyMap<string, number>,
    fetched: ReadonlyMap<string, FetchedChunk>,
  ): void {
    for (const chunk of chunks) if (sizes.get(chunk.hash) === 0) this.#forget(chunk, fetched.get(chunk.hash));
  }

  #forget({ hash, mark }: WantedChunk, fetched: FetchedChunk | undefined): void {
    if (fetched?.source) this.#downloader.several?.reject(hash, fetched.source);
    if (fetched?.from !== undefined && fetched.from === this.#local?.find(hash)?.target) this.#local.forget(hash);
    // The file has got its final name in the meantime: the next attempt finds the chunk there.
    if (fetched?.from !== undefined && fetched.from !== this.#written.get(mark)?.target) return;
    this.#written.delete(mark);
    const cached = this.#cache.get(hash);
    if (cached && this.#cache.delete(hash)) this.#cachedBytes -= cached.bytes.length;
  }

  #take({ hash, mark, size }: WantedChunk, fetched: Map<string, FetchedChunk>): boolean {
    const isRepeated = this.#repeated.has(mark);
    const cached = isRepeated ? this.#cache.get(hash) : undefined;
    if (cached) {
      const { bytes, source } = cached;
      fetched.set(hash, { input: bytes, length: size ?? plaintextSizeOf(bytes), shared: true, source });
      return true;
    }
    const location = (isRepeated ? this.#written.get(mark) : undefined) ?? this.#local?.find(hash);
    const written = location && this.#open(location);
    if (written) fetched.set(hash, { input: written, length: location.length, shared: false, from: location.target });
    return written !== undefined;
  }

  async #download(
    chunks: readonly WantedChunk[],
    fetched: Map<string, FetchedChunk>,
    arena: BlobArena,
    signal?: AbortSignal,
  ): Promise<void> {
    const repeated = new Map(
      chunks.filter((chunk) => this.#repeated.has(chunk.mark)).map((chunk) => [chunk.hash, chunk]),
    );
    const sizes = new Map(chunks.map(({ hash, size }) => [hash, size]));
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const hash of repeated.keys()) this.#downloading.set(hash, promise);
    const onBlob = (hash: string, bytes: Uint8Array | undefined): void => {
      const source = bytes && this.#downloader.several?.delivering;
      const again = bytes && repeated.get(hash);
      if (again) this.#keep(again, bytes, source);
      const length = bytes && (sizes.get(hash) ?? plaintextSizeOf(bytes));
      fetched.set(hash, { input: bytes ?? null, length, shared: again !== undefined, source });
    };
    try {
      for (const [session, hashes] of hashesBySession(chunks)) {
        await this.#downloader.download(session, hashes, onBlob, signal, arena);
      }
    } finally {
      for (const hash of repeated.keys()) this.#downloading.delete(hash);
      resolve();
    }
  }

  #keep({ hash, mark }: WantedChunk, bytes: Uint8Array, source: BlobSource | undefined): void {
    // A slice would keep its whole buffer in memory, and a batch's arena is reused.
    const ownsBuffer = bytes.byteLength === bytes.buffer.byteLength && !isInSharedMemory(bytes);
    const own = ownsBuffer ? bytes : new Uint8Array(bytes);
    this.#cache.set(hash, { mark, bytes: own, source });
    this.#cachedBytes += own.length;
    this.#evict();
  }

  /** Evicts the oldest first, but not before they can be read from a file, unless too many wait for that. */
  #evict(): void {
    for (const [hash, { mark, bytes }] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES) return;
      if (!this.#written.has(mark) && this.#cachedBytes <= CACHE_UNWRITTEN_BYTES) continue;
      this.#cache.delete(hash);
      this.#cachedBytes -= bytes.length;
    }
  }
}
