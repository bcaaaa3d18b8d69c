import type { BlobDownloader, BlobUploader, SealedBlob } from '../../engine/transfer/ports.ts';
import type { EmbeddedService } from '../../service/embedded.ts';
import { asDestinationError } from './embedded-errors.ts';

/** Blobs in hand at once: enough that one batch is written while the next is sealed. */
const CONCURRENCY = 3;
/** Bytes asked for at once bound the memory that answers take. */
const HASHES_PER_READ = 16;

/** Puts blobs into the service inside this program without HTTP in between. */
export class EmbeddedUploader implements BlobUploader {
  readonly concurrency = CONCURRENCY;
  readonly #service: EmbeddedService;
  readonly #directory: string;

  constructor(service: EmbeddedService, directory: string) {
    this.#service = service;
    this.#directory = directory;
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      await this.#service.putBlobs(sessionId, blobs);
    } catch (error) {
      throw asDestinationError(error, this.#directory);
    }
  }
}

/** Reads blobs from the service inside this program. */
export class EmbeddedDownloader implements BlobDownloader {
  readonly concurrency = CONCURRENCY;
  readonly #service: EmbeddedService;
  readonly #directory: string;

  constructor(service: EmbeddedService, directory: string) {
    this.#service = service;
    this.#directory = directory;
  }

  async download(
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let start = 0; start < hashes.length; start += HASHES_PER_READ) {
      signal?.throwIfAborted();
      const batch = hashes.slice(start, start + HASHES_PER_READ);
      const blobs = await this.#read(restoreSessionId, batch);
      for (const [index, hash] of batch.entries()) await onBlob(hash, blobs[index]);
    }
  }

  async #read(restoreSessionId: string, hashes: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    try {
      return await this.#service.getBlobs(restoreSessionId, hashes);
    } catch (error) {
      throw asDestinationError(error, this.#directory);
    }
  }
}
