/**
 * Shared memory for the blobs of one batch, used again by the next. Nothing is copied between the thread that reads a
 * blob and the one that opens it, and neither fresh pages nor garbage come with every batch.
 */
export class BlobArena {
  readonly #memory: Uint8Array<SharedArrayBuffer>;
  #used = 0;

  /** @param bytes of address space; memory is what was once used of it */
  constructor(bytes: number) {
    this.#memory = new Uint8Array(new SharedArrayBuffer(bytes));
  }

  /** Begins a batch: whatever lay here is void. */
  clear(): void {
    this.#used = 0;
  }

  /** What no blob of this batch lies in. */
  get free(): Uint8Array<SharedArrayBuffer> {
    return this.#memory.subarray(this.#used);
  }

  /** After a blob was put into what was free; nothing happens where it lies elsewhere. */
  take(blob: Uint8Array): void {
    if (blob.buffer === this.#memory.buffer) this.#used = Math.max(this.#used, blob.byteOffset + blob.length);
  }
}
