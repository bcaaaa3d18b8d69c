import { BLOB_OVERHEAD, formatChunkHash } from '../../protocol/chunk.ts';
import type { ChunkFilesOutput } from '../chunk/chunk-files.ts';
import { hexDigestAt, sizeAt } from '../chunk/chunk-list.ts';
import { MAX_CHUNK } from '../chunk/fastcdc.ts';
import { throwIfInterrupted, withGrace } from '../job/interruption.ts';
import type { Clock } from '../../base/clock.ts';
import type { BlobUploader, SealedBlob, ServiceClient } from '../transfer/ports.ts';
import { InFlight } from '../../base/in-flight.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { ProgressReports } from './progress-reports.ts';
import type { UploadObserver } from './upload.ts';

/** Bytes of a file that one task reads and seals. */
export const SEALED_PART_BYTES = 8 * 1024 * 1024;

/** Room for a part with its last chunk, or for a task of thousands of small files. */
const MEMORY_BYTES = SEALED_PART_BYTES + MAX_CHUNK + 4096 * BLOB_OVERHEAD;

export interface EarlyUploadParts {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly pool: WorkerPool;
  readonly clock: Clock;
  readonly deviceId: string;
  readonly backupSet: string;
  readonly chunkSubKey: Uint8Array;
}

/** Nothing where the service takes chunks only after their manifest. */
export async function openEarlyUpload(
  parts: EarlyUploadParts,
  observer: UploadObserver,
  signal: AbortSignal | undefined,
): Promise<EarlyUpload | undefined> {
  const capabilities = await parts.service.capabilities(signal);
  return capabilities.has('backup.open') ? new EarlyUpload(parts, observer, signal) : undefined;
}

/**
 * Uploads chunks while files are still being read, in a session that gets its manifest afterwards. The bytes are sealed
 * where they were hashed, so they need not be read and hashed again; and a slow link is busy from the first second on.
 */
export class EarlyUpload {
  readonly chunkSubKey: Uint8Array;
  readonly #parts: EarlyUploadParts;
  readonly #observer: UploadObserver;
  readonly #signal: AbortSignal | undefined;
  readonly #flightSignal: AbortSignal | undefined;
  readonly #inFlight = new InFlight();
  readonly #free: SharedArrayBuffer[] = [];
  readonly #waiting: ((memory: SharedArrayBuffer) => void)[] = [];
  /** Memories at most: what is being read and sealed, and what is on its way. */
  readonly #limit: number;
  #made = 0;
  #session: Promise<string> | undefined;
  #reports: ProgressReports | undefined;

  constructor(parts: EarlyUploadParts, observer: UploadObserver, signal: AbortSignal | undefined) {
    this.#parts = parts;
    this.#observer = observer;
    this.#signal = signal;
    this.chunkSubKey = parts.chunkSubKey;
    this.#flightSignal = withGrace(signal);
    this.#limit = parts.pool.capacity + 1;
  }

  /** The session, where anything was uploaded. */
  get session(): Promise<string> | undefined {
    return this.#session;
  }

  /** Memory for one task, as soon as there is some; it comes back through `upload` or `giveBack`. */
  async takeMemory(): Promise<SharedArrayBuffer> {
    throwIfInterrupted(this.#signal);
    const memory = this.#free.pop();
    if (memory) return memory;
    if (this.#made < this.#limit) {
      this.#made += 1;
      return new SharedArrayBuffer(MEMORY_BYTES);
    }
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  giveBack(memory: SharedArrayBuffer): void {
    const next = this.#waiting.shift();
    if (next) next(memory);
    else this.#free.push(memory);
  }

  /** Sends what a task has sealed. Its failure is thrown by a later call or by `finish`. */
  async upload(output: ChunkFilesOutput, memory: SharedArrayBuffer, path: string): Promise<void> {
    const blobs = blobsOf(output, memory);
    if (blobs.length === 0) {
      this.giveBack(memory);
      return;
    }
    let isSent = false;
    const send = async (): Promise<void> => {
      isSent = true;
      try {
        await this.#send(blobs, path);
      } finally {
        this.giveBack(memory);
      }
    };
    try {
      await this.#inFlight.start(this.#limit, send);
    } finally {
      if (!isSent) this.giveBack(memory);
    }
  }

  /** Resolves when the storage has acknowledged everything. */
  async finish(): Promise<void> {
    try {
      await this.#inFlight.finish();
    } finally {
      await this.#reports?.finish();
    }
  }

  async #send(blobs: readonly SealedBlob[], path: string): Promise<void> {
    this.#session ??= this.#open();
    const sessionId = await this.#session;
    const stored = await this.#parts.uploader.upload(sessionId, blobs, this.#flightSignal);
    this.#reports?.onUploaded(stored.blobs, stored.bytes);
    this.#observer.onUploaded(stored.blobs, stored.bytes - stored.blobs * BLOB_OVERHEAD, stored.bytes, path);
  }

  async #open(): Promise<string> {
    const { service, clock, deviceId, backupSet } = this.#parts;
    const session = await service.backupOpen({ deviceId, backupSet }, this.#signal);
    this.#reports = new ProgressReports(service, clock, session, 0);
    return session;
  }
}

function blobsOf({ chunks, sealed }: ChunkFilesOutput, memory: SharedArrayBuffer): SealedBlob[] {
  const list = Buffer.from(chunks.buffer, chunks.byteOffset, chunks.byteLength);
  // Files of one task often hold the same.
  const blobs = new Map<string, SealedBlob>();
  let offset = 0;
  for (const record of sealed) {
    const length = sizeAt(list, record) + BLOB_OVERHEAD;
    const hash = formatChunkHash(hexDigestAt(list, record));
    if (!blobs.has(hash)) blobs.set(hash, { hash, bytes: new Uint8Array(memory, offset, length) });
    offset += length;
  }
  return [...blobs.values()];
}
