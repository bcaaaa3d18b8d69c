import { BlobArena } from '../../transfer/blobs/blob-arena.ts';

/** Plaintext bytes that a batch has at most, by the sizes of its files; a part's chunks may be larger than average. */
export const BATCH_BYTES = 4 * 2 ** 20;

/** A batch that was not full, and one more file or chunk. */
const ARENA_BYTES = 2 * BATCH_BYTES + 64 * 1024;

/** One blob arena for each batch in flight, which bounds memory and the number of batches. Waiters are served in order. */
export class ArenaPool {
  readonly #waiting: ((arena: BlobArena) => void)[] = [];
  readonly #free: BlobArena[] = [];
  #unallocated: number;

  constructor(batches: number) {
    this.#unallocated = batches;
  }

  /** Waits until an arena is free. */
  async acquire(): Promise<BlobArena> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#unallocated > 0) {
      this.#unallocated -= 1;
      return new BlobArena(ARENA_BYTES);
    }
    return await new Promise<BlobArena>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** To be called when nothing reads or writes the arena any more. */
  release(arena: BlobArena): void {
    const next = this.#waiting.shift();
    if (next) next(arena);
    else this.#free.push(arena);
  }
}
