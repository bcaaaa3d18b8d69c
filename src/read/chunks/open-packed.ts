import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { bufferOf } from '../../base/buffer-of.ts';
import { isHoldfastError, systemCodeOf, type ErrorCode } from '../../base/errors/errors.ts';
import type { ChunkKeys } from '../../format/crypto/chunk-keys.ts';
import type { ChunkInput, WrittenChunk } from './packed-chunks.ts';
import { MIB } from '../../model/units.ts';

/** A verified plaintext, or what is wrong with the chunk. */
export type OpenedChunk = Buffer | ErrorCode;

/**
 * Memory for plaintexts that a worker thread reuses. Allocating it for each chunk leaves garbage by the ten megabytes, and
 * the page faults cost more than decryption.
 */
export class PlaintextMemory {
  #bytes = Buffer.allocUnsafeSlow(MIB);
  #used = 0;

  /** Invalidates everything allocated before and makes room for `bytes` in total. */
  reset(bytes: number): void {
    this.#used = 0;
    if (bytes > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  allocate(bytes: number): Buffer {
    this.#used += bytes;
    return this.#bytes.subarray(this.#used - bytes, this.#used);
  }
}

/** Opens or reads one chunk and verifies it. The plaintext is valid until the memory is reset. */
export function openPackedChunk(
  chunk: ChunkInput,
  digest: Uint8Array,
  keys: ChunkKeys,
  memory: PlaintextMemory,
): OpenedChunk {
  if (chunk === null) return 'chunk_missing';
  if (!(chunk instanceof Uint8Array)) return readWritten(chunk, digest, memory.allocate(chunk.length));
  try {
    return keys.open(chunk, digest, { into: memory.allocate(chunk.length) });
  } catch (error) {
    if (isHoldfastError(error)) return error.code;
    throw error;
  }
}

/** Somebody may have changed the file since: the chunk then counts as corrupt and is downloaded. */
function readWritten({ path, offset, length }: WrittenChunk, digest: Uint8Array, target: Buffer): OpenedChunk {
  try {
    const file = openSync(pathOf(path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      for (let done = 0, read = 1; done < length && read > 0; done += read) {
        read = readSync(file, target, done, length - done, offset + done);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 'chunk_corrupt';
  }
  return hash('sha256', target, 'buffer').equals(digest) ? target : 'chunk_corrupt';
}

/** A Buffer arrives from another thread as a plain Uint8Array. */
function pathOf(path: string | Uint8Array): string | Buffer {
  return typeof path === 'string' ? path : bufferOf(path);
}
