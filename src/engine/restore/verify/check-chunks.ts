import { ChunkKeys } from '../../crypto/chunk-keys.ts';
import { openBlob } from '../../crypto/blob.ts';
import { isHoldfastError, type ErrorCode } from '../../../base/errors.ts';
import { releaseMemory } from '../../../base/release-memory.ts';
import type { TaskAnswer } from '../../../base/thread-pool.ts';
import { PlaintextMemory } from '../chunks/plaintext-memory.ts';
import { packedChunkAt, type PackedChunks } from '../chunks/packed-chunks.ts';

export interface CheckChunksInput {
  readonly chunkSubKey: Uint8Array;
  readonly chunks: PackedChunks;
}

/** For each blob: the plaintext's length, or what is wrong. */
export type CheckedChunk = number | ErrorCode;

const memory = new PlaintextMemory();

/** Opens blobs and keeps nothing of them. */
export function checkChunks(input: CheckChunksInput): TaskAnswer<readonly CheckedChunk[]> {
  const keys = new ChunkKeys(input.chunkSubKey);
  const { count, digests, others } = input.chunks;
  const value = Array.from({ length: count }, (_, index): CheckedChunk => {
    const blob = packedChunkAt(input.chunks, index);
    if (!(blob instanceof Uint8Array)) return 'chunk_missing';
    const digest = digests.subarray(index * 32, index * 32 + 32);
    try {
      memory.begin(blob.length);
      return openBlob(keys.keyOf(digest), blob, digest, memory.take(blob.length)).length;
    } catch (error) {
      if (isHoldfastError(error)) return error.code;
      throw error;
    }
  });
  releaseMemory([...others.values()]);
  return { value };
}
