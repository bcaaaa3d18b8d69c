import { BLOB_OVERHEAD, formatChunkHash } from '../../../protocol/chunk.ts';
import { BufferPool } from '../../../base/buffer-pool.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Compression } from '../../../base/compression.ts';
import { InFlight } from '../../../base/in-flight.ts';
import type { ChunkFilesOutput } from '../../chunk/chunk-files.ts';
import { hexDigestAt, sizeAt } from '../../chunk/chunk-list.ts';
import { MAX_CHUNK } from '../../chunk/fastcdc.ts';
import { throwIfInterrupted, withGrace } from '../../job/interruption.ts';
import type { BlobUploader, SealedBlob, ServiceClient } from '../../transfer/ports.ts';
import type { BackupPool } from '../tasks.ts';
import { ServiceProgress } from './service-progress.ts';
import type { UploadObserver } from './upload-observer.ts';

/** Bytes of a file that one task reads and seals. */
export const SEALED_PART_BYTES = 8 * 1024 * 1024;

/** Fits a part with its last chunk, or a task of thousands of small files. */
const BUFFER_BYTES = SEALED_PART_BYTES + MAX_CHUNK + 4096 * BLOB_OVERHEAD;

export interface EarlyUploadOptions {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly pool: BackupPool;
  readonly clock: Clock;
  readonly deviceId: string;
  readonly backupSet: string;
  readonly chunkSubKey: Uint8Array;
  readonly compression: Compression;
  readonly observer: UploadObserver;
  readonly signal: AbortSignal | undefined;
}

/** Returns `undefined` if the service accepts chunks only after their manifest. */
export async function openEarlyUpload(options: EarlyUploadOptions): Promise<EarlyUpload | undefined> {
  const capabilities = await options.service.capabilities(options.signal);
  return capabilities.has('backup.open') ? new EarlyUpload(options) : undefined;
}

/**
 * Uploads chunks while files are still being read, in a session whose manifest follows. The bytes are sealed where they
 * were hashed, so they need not be read and hashed again, and a slow link is busy from the first second.
 */
export class EarlyUpload {
  readonly chunkSubKey: Uint8Array;
  readonly compression: Compression;
  readonly #options: EarlyUploadOptions;
  readonly #flightSignal: AbortSignal | undefined;
  /** Bounds the memory of what is being read and sealed and of what is being sent. */
  readonly #buffers: BufferPool<SharedArrayBuffer>;
  readonly #inFlight = new InFlight();
  readonly #limit: number;
  #session: Promise<string> | undefined;
  #progress: ServiceProgress | undefined;

  constructor(options: EarlyUploadOptions) {
    this.#options = options;
    this.chunkSubKey = options.chunkSubKey;
    this.compression = options.compression;
    this.#flightSignal = withGrace(options.signal);
    this.#limit = options.pool.capacity + 1;
    this.#buffers = new BufferPool(this.#limit, () => new SharedArrayBuffer(BUFFER_BYTES));
  }

  /** The session; `undefined` if nothing was uploaded. */
  get session(): Promise<string> | undefined {
    return this.#session;
  }

  /** Waits for a buffer for one task. It is returned through `upload` or `giveBack`. */
  async takeBuffer(): Promise<SharedArrayBuffer> {
    throwIfInterrupted(this.#options.signal);
    return await this.#buffers.acquire();
  }

  giveBack(buffer: SharedArrayBuffer): void {
    this.#buffers.release(buffer);
  }

  /** Sends what a task has sealed. Its failure is thrown by a later call or by `finish`. */
  async upload(output: ChunkFilesOutput, buffer: SharedArrayBuffer, path: string): Promise<void> {
    const blobs = blobsOf(output, buffer);
    let isStarted = false;
    try {
      if (blobs.length === 0) return;
      await this.#inFlight.start(this.#limit, async () => {
        isStarted = true;
        await this.#send(blobs, path).finally(() => this.giveBack(buffer));
      });
    } finally {
      if (!isStarted) this.giveBack(buffer);
    }
  }

  /** Resolves when the storage has acknowledged everything. */
  async finish(): Promise<void> {
    try {
      await this.#inFlight.finish();
    } finally {
      await this.#progress?.finish();
    }
  }

  async #send(blobs: readonly SealedBlob[], path: string): Promise<void> {
    this.#session ??= this.#open();
    const stored = await this.#options.uploader.upload(await this.#session, blobs, this.#flightSignal);
    this.#progress?.add(stored.blobs, stored.bytes);
    this.#options.observer.onUploaded({
      chunks: stored.blobs,
      plaintextBytes: stored.plaintextBytes,
      blobBytes: stored.bytes,
      path,
    });
  }

  async #open(): Promise<string> {
    const { service, clock, deviceId, backupSet, signal } = this.#options;
    const session = await service.backupOpen({ deviceId, backupSet }, signal);
    this.#progress = new ServiceProgress(service, clock, session, 0);
    return session;
  }
}

function blobsOf({ chunks, sealed, sealedLengths }: ChunkFilesOutput, buffer: SharedArrayBuffer): SealedBlob[] {
  const list = Buffer.from(chunks.buffer, chunks.byteOffset, chunks.byteLength);
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
