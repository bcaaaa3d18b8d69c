import type { ErrorCode } from '../../base/errors/errors.ts';
import { chunkKeysOf } from '../../format/crypto/chunk-keys.ts';
import { releaseMemory } from '../../base/limits/release-memory.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { openPackedChunk, PlaintextMemory } from '../../read/chunks/open-packed.ts';
import { packedChunkAt, packedDigestAt, type PackedChunks } from '../../read/chunks/packed-chunks.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';

export interface CheckChunksInput {
  readonly chunkSubKeys: EpochKeys;
  readonly chunks: PackedChunks;
}

/** The plaintext's length, or what is wrong with the blob. */
export type CheckedChunk = number | ErrorCode;

const memory = new PlaintextMemory();

/** Opens blobs and discards the plaintexts. Runs in a worker thread. */
export function checkChunks({ chunkSubKeys, chunks }: CheckChunksInput): TaskAnswer<readonly CheckedChunk[]> {
  const keys = chunkKeysOf(chunkSubKeys);
  const value = Array.from({ length: chunks.count }, (_, index): CheckedChunk => {
    const chunk = packedChunkAt(chunks, index);
    memory.reset(chunk?.length ?? 0);
    const opened = openPackedChunk(chunk, packedDigestAt(chunks, index), keys, memory);
    return typeof opened === 'string' ? opened : opened.length;
  });
  releaseMemory([...chunks.others.values()]);
  return { value };
}
