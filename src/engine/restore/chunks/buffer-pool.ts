import { BlobArena } from '../../transfer/blobs/blob-arena.ts';

/** Plaintext bytes that a batch has at most, by the sizes of its files; a part's chunks may be larger than average. */
export const BATCH_BYTES = 4 * 2 ** 20;

/** A batch that was not full, and one more file or chunk. */
const BUFFER_BYTES = 2 * BATCH_BYTES + 64 * 1024;

/** One blob buffer for each batch in flight, which bounds memory and the number of batches. Waiters are served in order. */
export class BufferPool {
  readonly #waiting: ((buffer: BlobArena) => void)[] = [];
  readonly #free: BlobArena[] = [];
  #unallocated: number;

  constructor(batches: number) {
    this.#unallocated = batches;
  }

  /** Waits until a buffer is free. */
  async acquire(): Promise<BlobArena> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#unallocated > 0) {
      this.#unallocated -= 1;
      return new BlobArena(BUFFER_BYTES);
    }
    return await new Promise<BlobArena>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** To be called when nothing reads or writes the buffer any more. */
  release(buffer: BlobArena): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }
}
