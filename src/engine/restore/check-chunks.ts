import { ChunkKeys } from '../crypto/chunk-keys.ts';
import { openBlob } from '../crypto/blob.ts';
import { isHoldfastError, type ErrorCode } from '../errors.ts';
import { releaseMemory } from '../workers/release.ts';
import type { TaskAnswer } from '../workers/tasks.ts';
import { ChunkMemory } from './chunk-memory.ts';

export interface CheckChunksInput {
  readonly chunkSubKey: Uint8Array;
  /** 32 bytes for each blob. */
  readonly digests: Uint8Array;
  readonly blobs: readonly (Uint8Array | null)[];
}

/** For each blob: the plaintext's length, or what is wrong. */
export type CheckedChunk = number | ErrorCode;

const memory = new ChunkMemory();

/** Opens blobs and keeps nothing of them. */
export function checkChunks(input: CheckChunksInput): TaskAnswer<readonly CheckedChunk[]> {
  const keys = new ChunkKeys(input.chunkSubKey);
  const value = input.blobs.map((blob, index): CheckedChunk => {
    if (blob === null) return 'chunk_missing';
    const digest = input.digests.subarray(index * 32, index * 32 + 32);
    try {
      memory.begin(blob.length);
      return openBlob(keys.keyOf(digest), blob, digest, memory.take(blob.length)).length;
    } catch (error) {
      if (isHoldfastError(error)) return error.code;
      throw error;
    }
  });
  releaseMemory(input.blobs);
  return { value };
}
