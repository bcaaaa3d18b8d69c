import { BLOB_OVERHEAD } from '../../../protocol/chunk.ts';
import type { BlobArena } from '../../transfer/blobs/blob-arena.ts';
import type { BlobDownloader } from '../../transfer/ports.ts';
import { isShared, type ChunkInput, type WrittenChunk } from './packed-chunks.ts';
import type { ChunkMark } from './repeated-chunks.ts';

/** A chunk that is asked for. */
export interface WantedChunk {
  /** `sha256:<hex>` */
  readonly hash: string;
  readonly mark: ChunkMark;
  /** The restore session that gives it. */
  readonly session: string;
}

/** Where this restore has written a chunk: a path below the target folder, and the place in that file. */
export interface ChunkPlace {
  /** Changes when the file gets its name. */
  target: string;
  readonly offset: number;
  readonly length: number;
}

/** A chunk as it was got. Blobs that are kept for others are shared: they must not be transferred. */
export interface GotChunk {
  readonly input: ChunkInput;
  /** Of the plaintext; nothing where the service has no such blob. */
  readonly length: number | undefined;
  readonly shared: boolean;
  /** The file of the target that it comes from, by the name that it had then. */
  readonly from?: string;
}

/** Whether it came from a file of the target, which somebody may have changed, rather than from the service. */
export function isFromTarget(chunk: GotChunk | undefined): boolean {
  return chunk?.from !== undefined;
}

/** Sealed bytes of repeated chunks that are kept for the next file that needs them. */
const KEPT_BYTES = 16 * 2 ** 20;
const KEPT_UNWRITTEN_BYTES = 3 * KEPT_BYTES;

/**
 * Gets each chunk from the service once: one that is needed again comes from memory for a while, then from the file
 * that it was written to. What is asked for twice at once is downloaded once.
 */
export class ChunkSource {
  readonly #downloader: BlobDownloader;
  readonly #repeated: ReadonlySet<ChunkMark>;
  readonly #open: (place: ChunkPlace) => WrittenChunk | undefined;
  readonly #kept = new Map<string, { readonly mark: ChunkMark; readonly bytes: Uint8Array }>();
  #keptBytes = 0;
  readonly #written = new Map<ChunkMark, ChunkPlace>();
  readonly #underWay = new Map<string, Promise<void>>();

  /** @param open makes a written chunk readable for a while, or answers nothing where its file is out of reach */
  constructor(
    downloader: BlobDownloader,
    repeated: ReadonlySet<ChunkMark>,
    open: (place: ChunkPlace) => WrittenChunk | undefined,
  ) {
    this.#downloader = downloader;
    this.#repeated = repeated;
    this.#open = open;
  }

  /**
   * @param chunks each once
   * @param room which the blobs may lie in until the next call with it
   */
  async get(
    chunks: readonly WantedChunk[],
    room: BlobArena,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, GotChunk>> {
    room.clear();
    const got = new Map<string, GotChunk>();
    let left = chunks;
    while (left.length > 0) {
      const missing = left.filter((chunk) => !this.#take(chunk, got));
      const others = missing.filter((chunk) => this.#underWay.has(chunk.hash));
      const own = missing.filter((chunk) => !this.#underWay.has(chunk.hash));
      const waits = others.map((chunk) => this.#underWay.get(chunk.hash) ?? Promise.resolve());
      if (own.length > 0) await this.#download(own, got, room, signal);
      await Promise.all(waits);
      // Somebody else's download may have failed, or what it brought may be forgotten again.
      left = others;
    }
    return got;
  }

  /** Whether it is worth to tell where the chunk was written. */
  isRepeated({ mark }: WantedChunk): boolean {
    return this.#repeated.has(mark);
  }

  /** After a repeated chunk was verified and written. */
  wrote({ mark }: WantedChunk, place: ChunkPlace): void {
    if (!this.#written.has(mark)) this.#written.set(mark, place);
  }

  /** After a chunk turned out to be damaged: the next one comes from the service. */
  forget({ hash, mark }: WantedChunk, got: GotChunk | undefined): void {
    // The file has got its name in the meantime: that is where the next try finds the chunk.
    if (got?.from !== undefined && got.from !== this.#written.get(mark)?.target) return;
    this.#written.delete(mark);
    const kept = this.#kept.get(hash);
    if (kept && this.#kept.delete(hash)) this.#keptBytes -= kept.bytes.length;
  }

  #take({ hash, mark }: WantedChunk, got: Map<string, GotChunk>): boolean {
    if (!this.#repeated.has(mark)) return false;
    const blob = this.#kept.get(hash)?.bytes;
    if (blob) {
      got.set(hash, { input: blob, length: blob.length - BLOB_OVERHEAD, shared: true });
      return true;
    }
    const place = this.#written.get(mark);
    const written = place && this.#open(place);
    if (written) got.set(hash, { input: written, length: place.length, shared: false, from: place.target });
    return written !== undefined;
  }

  async #download(
    chunks: readonly WantedChunk[],
    got: Map<string, GotChunk>,
    room: BlobArena,
    signal?: AbortSignal,
  ): Promise<void> {
    const repeated = new Map(
      chunks.filter((chunk) => this.#repeated.has(chunk.mark)).map((chunk) => [chunk.hash, chunk]),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const hash of repeated.keys()) this.#underWay.set(hash, promise);
    try {
      for (const [session, hashes] of bySession(chunks)) {
        await this.#downloader.download(
          session,
          hashes,
          (hash, bytes) => {
            const again = bytes && repeated.get(hash);
            if (again) this.#keep(again, bytes);
            const length = bytes && Math.max(0, bytes.length - BLOB_OVERHEAD);
            got.set(hash, { input: bytes ?? null, length, shared: again !== undefined });
          },
          signal,
          room,
        );
      }
    } finally {
      for (const hash of repeated.keys()) this.#underWay.delete(hash);
      resolve();
    }
  }

  #keep({ hash, mark }: WantedChunk, bytes: Uint8Array): void {
    // A small piece of a large buffer would keep all of it, and a room is used again.
    const isWhole = bytes.byteLength === bytes.buffer.byteLength && !isShared(bytes);
    const own = isWhole ? bytes : new Uint8Array(bytes);
    this.#kept.set(hash, { mark, bytes: own });
    this.#keptBytes += own.length;
    this.#letGo();
  }

  /** The oldest go first, but not before they can be read from a file, unless too many are waiting for that. */
  #letGo(): void {
    for (const [hash, { mark, bytes }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) return;
      if (!this.#written.has(mark) && this.#keptBytes <= KEPT_UNWRITTEN_BYTES) continue;
      this.#kept.delete(hash);
      this.#keptBytes -= bytes.length;
    }
  }
}

function bySession(chunks: readonly WantedChunk[]): ReadonlyMap<string, string[]> {
  const sessions = new Map<string, string[]>();
  for (const { session, hash } of chunks) {
    const hashes = sessions.get(session);
    if (hashes) hashes.push(hash);
    else sessions.set(session, [hash]);
  }
  return sessions;
}
