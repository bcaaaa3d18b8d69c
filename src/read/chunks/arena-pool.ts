import { BufferPool } from '../../base/limits/buffer-pool.ts';
import { BlobArena } from '../../remote/blobs/blob-arena.ts';
import { KIB } from '../../model/units.ts';

/** Plaintext bytes that a batch has at most, by the sizes of its files; a part's chunks may be larger than average. */
export const BATCH_BYTES = 4 * 2 ** 20;

/** A batch that was not full, and one more file or chunk. */
const ARENA_BYTES = 2 * BATCH_BYTES + 64 * KIB;

/** One blob arena for each batch in flight, which bounds memory and the number of batches. */
export class ArenaPool extends BufferPool<BlobArena> {
  constructor(batches: number) {
    super(batches, () => new BlobArena(ARENA_BYTES));
  }
}
