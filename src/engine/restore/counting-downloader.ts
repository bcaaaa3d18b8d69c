import type { BlobArena } from '../transfer/blobs/blob-arena.ts';
import type { BlobDownloader } from '../transfer/ports.ts';

/** Counts the sealed bytes that come through. */
export class CountingDownloader implements BlobDownloader {
  readonly #inner: BlobDownloader;
  readonly #onBytes: (bytes: number) => void;

  constructor(inner: BlobDownloader, onBytes: (bytes: number) => void) {
    this.#inner = inner;
    this.#onBytes = onBytes;
  }

  get concurrency(): number {
    return this.#inner.concurrency;
  }

  async download(
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
    room?: BlobArena,
  ): Promise<void> {
    await this.#inner.download(
      restoreSessionId,
      hashes,
      (hash, bytes) => {
        if (bytes) this.#onBytes(bytes.length);
        return onBlob(hash, bytes);
      },
      signal,
      room,
    );
  }
}
