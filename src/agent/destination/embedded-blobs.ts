import type { BlobArena } from '../../engine/transfer/blobs/blob-arena.ts';
import type { BlobDownloader, BlobUploader, NewBlobs, SealedBlob } from '../../engine/transfer/ports.ts';
import type { EmbeddedService } from '../../service/embedded/embedded.ts';
import { asDestinationError } from './embedded-errors.ts';

/** Enough that one batch is written while the next is sealed. */
const CONCURRENCY = 3;
/** The size of one read. The sizes of earlier blobs tell how many it may include. */
const READ_BYTES = 2 * 1024 * 1024;
const FEWEST_PER_READ = 2;
const MOST_PER_READ = 64;

/** Passes blobs to the embedded service without HTTP. */
export class EmbeddedUploader implements BlobUploader {
  readonly concurrency = CONCURRENCY;
  readonly #service: EmbeddedService;
  readonly #directory: string;

  constructor(service: EmbeddedService, directory: string) {
    this.#service = service;
    this.#directory = directory;
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs> {
    signal?.throwIfAborted();
    try {
      return await this.#service.putBlobs(sessionId, blobs);
    } catch (error) {
      throw asDestinationError(error, this.#directory);
    }
  }
}

/** Reads blobs from the embedded service. */
export class EmbeddedDownloader implements BlobDownloader {
  readonly concurrency = CONCURRENCY;
  readonly #service: EmbeddedService;
  readonly #directory: string;
  #perRead = FEWEST_PER_READ;

  constructor(service: EmbeddedService, directory: string) {
    this.#service = service;
    this.#directory = directory;
  }

  async download(
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
    room?: BlobArena,
  ): Promise<void> {
    if (room) {
      await this.#downloadInto(room, restoreSessionId, hashes, onBlob, signal);
      return;
    }
    for (let start = 0; start < hashes.length;) {
      signal?.throwIfAborted();
      const batch = hashes.slice(start, start + this.#perRead);
      start += batch.length;
      const blobs = await this.#read(restoreSessionId, batch);
      this.#adapt(blobs);
      for (const [index, hash] of batch.entries()) await onBlob(hash, blobs[index]);
    }
  }

  /** Sends all at once: the shared memory's size already limits a batch. */
  async #downloadInto(
    room: BlobArena,
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: Parameters<BlobDownloader['download']>[2],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const blobs = await this.#read(restoreSessionId, hashes, room.free);
    for (const [index, hash] of hashes.entries()) {
      const blob = blobs[index];
      if (blob) room.take(blob);
      await onBlob(hash, blob);
    }
  }

  #adapt(blobs: readonly (Uint8Array | undefined)[]): void {
    const bytes = blobs.reduce((sum, blob) => sum + (blob?.length ?? 0), 0);
    const fitting = Math.floor((READ_BYTES * blobs.length) / Math.max(1, bytes));
    this.#perRead = Math.min(MOST_PER_READ, Math.max(FEWEST_PER_READ, fitting));
  }

  async #read(
    restoreSessionId: string,
    hashes: readonly string[],
    room?: Uint8Array<SharedArrayBuffer>,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    try {
      return await this.#service.getBlobs(restoreSessionId, hashes, room);
    } catch (error) {
      throw asDestinationError(error, this.#directory);
    }
  }
}
