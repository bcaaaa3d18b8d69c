/**
 * Shared memory for the blobs of one batch, reused by the next. Blobs are not copied between the thread that receives them
 * and the one that opens them, and a batch causes neither page faults nor garbage.
 */
export class BlobArena {
  readonly #memory: Uint8Array<SharedArrayBuffer>;
  #used = 0;

  /** @param bytes of address space; physical memory is allocated on first use */
  constructor(bytes: number) {
    this.#memory = new Uint8Array(new SharedArrayBuffer(bytes));
  }

  /** Begins a batch and discards the last one's blobs. */
  clear(): void {
    this.#used = 0;
  }

  /** The part that holds no blob of this batch. */
  get free(): Uint8Array<SharedArrayBuffer> {
    return this.#memory.subarray(this.#used);
  }

  /** Reserves the memory of a blob that was written to the free part. Blobs elsewhere are ignored. */
  take(blob: Uint8Array): void {
    if (blob.buffer === this.#memory.buffer) this.#used = Math.max(this.#used, blob.byteOffset + blob.length);
  }
}
