import { bufferOf } from '../../../base/buffer-of.ts';
import { BLOB_OVERHEAD } from '../../../protocol/blob.ts';
import { formatChunkHash } from '../../../protocol/chunk-hash.ts';
import { BufferPool } from '../../../base/limits/buffer-pool.ts';
import type { Compression } from '../../../model/compression.ts';
import type { ChunkFilesOutput } from '../../chunk/chunk-files.ts';
import { hexDigestAt, sizeAt } from '../../../format/chunks/chunk-list.ts';
import { MAX_CHUNK } from '../../chunk/cut/fastcdc.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { SealedBlob } from '../../../remote/ports.ts';
import type { EarlyLane } from './early-lane.ts';
import type { EpochKeys } from '../../../format/crypto/keys.ts';
import { MIB } from '../../../model/units.ts';

/** Bytes of a file that one task reads and seals. */
export const SEALED_PART_BYTES = 8 * MIB;

/** Fits a part with its last chunk, or a task of thousands of small files. */
const BUFFER_BYTES = SEALED_PART_BYTES + MAX_CHUNK + 4096 * BLOB_OVERHEAD;

export interface EarlyUploadOptions {
  readonly chunkSubKeys: EpochKeys;
  readonly compression: Compression;
  /** Tasks that read at once. */
  readonly readers: number;
  /** Lanes that join at most. */
  readonly lanes: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Uploads chunks while files are still being read. The bytes are sealed where they were hashed, so they need not be read
 * and hashed again, and a slow link is busy from the first second. Every destination is sent the same blobs.
 *
 * Reading waits for the fastest lane. A lane that is behind misses chunks, and its destination requests them later.
 */
export class EarlyUpload {
  readonly chunkSubKeys: EpochKeys;
  readonly compression: Compression;
  readonly #signal: AbortSignal | undefined;
  readonly #lanes = new Set<EarlyLane>();
  /** Bounds the memory of what is being read and sealed and of what is being sent. */
  readonly #buffers: BufferPool<SharedArrayBuffer>;
  /** Buffers that each lane may hold: with all of its own, a lane that hangs leaves as many to the others. */
  readonly #most: number;

  constructor({ chunkSubKeys, compression, readers, lanes, signal }: EarlyUploadOptions) {
    this.chunkSubKeys = chunkSubKeys;
    this.compression = compression;
    this.#signal = signal;
    this.#most = readers + 1;
    this.#buffers = new BufferPool(this.#most * lanes, () => new SharedArrayBuffer(BUFFER_BYTES));
  }

  /** False if chunks need not be sealed now. */
  get hasLanes(): boolean {
    return this.#lanes.size > 0;
  }

  join(lane: EarlyLane): void {
    this.#lanes.add(lane);
  }

  /** Must be called when the lane's destination takes no more chunks. */
  leave(lane: EarlyLane): void {
    this.#lanes.delete(lane);
  }

  /** Waits for a buffer for one task. It is returned through `upload` or `giveBack`. */
  async takeBuffer(): Promise<SharedArrayBuffer> {
    throwIfInterrupted(this.#signal);
    return await this.#buffers.acquire();
  }

  giveBack(buffer: SharedArrayBuffer): void {
    this.#buffers.release(buffer);
  }

  /** Sends what a task has sealed on every lane with room. Waits until there is one. */
  async upload(output: ChunkFilesOutput, buffer: SharedArrayBuffer, path: string): Promise<void> {
    const blobs = blobsOf(output, buffer);
    const lanes = blobs.length > 0 ? await this.#lanesWithRoom() : [];
    const sending = lanes.map((lane) => lane.send(blobs, path));
    void Promise.all(sending).then(() => this.giveBack(buffer));
  }

  async #lanesWithRoom(): Promise<readonly EarlyLane[]> {
    for (;;) {
      const lanes = [...this.#lanes].filter((lane) => !lane.isOver);
      const free = lanes.filter((lane) => lane.size < this.#most);
      if (free.length > 0 || lanes.length === 0) return free;
      await Promise.race(lanes.map((lane) => lane.ended()));
    }
  }
}

function blobsOf({ chunks, sealed, sealedLengths }: ChunkFilesOutput, buffer: SharedArrayBuffer): SealedBlob[] {
  const list = bufferOf(chunks);
  // Files of one task often have the same content.
  const blobs = new Map<string, SealedBlob>();
  let offset = 0;
  for (const [index, record] of sealed.entries()) {
    const length = sealedLengths[index]!;
    const hash = formatChunkHash(hexDigestAt(list, record));
    const bytes = new Uint8Array(buffer, offset, length);
    if (!blobs.has(hash)) blobs.set(hash, { hash, bytes, size: sizeAt(list, record), kind: 'data' });
    offset += length;
  }
  return [...blobs.values()];
}
