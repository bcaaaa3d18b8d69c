import { BlobArena } from '../../transfer/blobs/blob-arena.ts';

/** What a batch holds at most of plaintext, by the sizes of its files: chunks of a part may be larger than average. */
export const BATCH_BYTES = 4 * 2 ** 20;

/** A batch that was not full, and one more file or chunk. */
const ROOM_BYTES = 2 * BATCH_BYTES + 64 * 1024;

/** Room for the blobs of each batch under way; whoever takes one waits until one is free. First come, first served. */
export class BufferPool {
  readonly #waiting: ((room: BlobArena) => void)[] = [];
  readonly #free: BlobArena[] = [];
  #unmade: number;

  constructor(batches: number) {
    this.#unmade = batches;
  }

  async take(): Promise<BlobArena> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#unmade > 0) {
      this.#unmade -= 1;
      return new BlobArena(ROOM_BYTES);
    }
    return await new Promise<BlobArena>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** When nothing reads or writes in it any more. */
  give(room: BlobArena): void {
    const next = this.#waiting.shift();
    if (next) next(room);
    else this.#free.push(room);
  }
}
