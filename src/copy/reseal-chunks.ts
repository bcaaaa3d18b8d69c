import { sealChunk } from '../format/crypto/blob.ts';
import { chunkKeysOf } from '../format/crypto/chunk-keys.ts';
import { ZSTD } from '../format/crypto/packing.ts';
import { releaseMemory } from '../base/limits/release-memory.ts';
import type { TaskAnswer } from '../base/limits/thread-pool.ts';
import { openPackedChunk, PlaintextMemory } from '../read/chunks/open-packed.ts';
import { packedChunkAt, packedDigestAt } from '../read/chunks/packed-chunks.ts';
import type { CheckChunksInput, CheckedChunk } from '../restore/verify/check-chunks.ts';

/** What `checkChunks` returns, and by index the blobs that were compressed, sealed anew in the `plain` form. */
export interface ResealedChunks {
  readonly results: readonly CheckedChunk[];
  readonly blobs: ReadonlyMap<number, Uint8Array>;
}

const memory = new PlaintextMemory();

/** Opens blobs, for a destination that takes no compressed ones. Runs in a worker thread. */
export function resealChunks({ chunkSubKeys, chunks }: CheckChunksInput): TaskAnswer<ResealedChunks> {
  const keys = chunkKeysOf(chunkSubKeys);
  const blobs = new Map<number, Buffer>();
  const results = Array.from({ length: chunks.count }, (_, index): CheckedChunk => {
    const chunk = packedChunkAt(chunks, index);
    const digest = packedDigestAt(chunks, index);
    memory.reset(chunk?.length ?? 0);
    const opened = openPackedChunk(chunk, digest, keys, memory);
    if (typeof opened === 'string') return opened;
    if (chunk instanceof Uint8Array && chunk[0] === ZSTD) blobs.set(index, sealChunk(keys.keyOf(digest), opened));
    return opened.length;
  });
  releaseMemory([...chunks.others.values()]);
  return { value: { results, blobs }, transfer: [...blobs.values()].map(({ buffer }) => buffer as ArrayBuffer) };
}
