import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import type { DestinationCatalog } from '../catalog/catalog.ts';
import type { Keys } from '../format/crypto/keys.ts';
import type { TaskRunner } from '../base/limits/thread-pool.ts';
import type { checkChunks } from '../restore/verify/check-chunks.ts';
import type { resealChunks } from './reseal-chunks.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from '../remote/ports.ts';

/** The tasks of a copy that run in worker threads. */
export interface CopyTasks {
  readonly checkChunks: typeof checkChunks;
  readonly resealChunks: typeof resealChunks;
}
export type CopyPool = TaskRunner<CopyTasks>;

/** A destination, as this computer's device there. */
export interface CopySource {
  /** Returns whether a tree there counts, as in `Keys`. */
  readonly admits?: Keys['admits'];
  readonly deviceId: string;
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
  readonly catalog: DestinationCatalog;
}

export interface CopyTarget extends CopySource {
  readonly uploader: BlobUploader;
  /** Stored with restore points whose own cannot be read. */
  readonly keyEnvelope: Uint8Array;
}

export interface CopyDependencies {
  readonly from: CopySource;
  readonly to: CopyTarget;
  readonly pool: CopyPool;
  readonly keys: Keys;
  readonly clock: Clock;
}

export interface CopyRequest {
  /** Names of sets. */
  readonly sets: readonly string[];
  /** True for only the newest restore point of each. */
  readonly latest: boolean;
}

/**
 * Why a restore point is not copied. `older`: the other destination has a newer one. `no-tree`: another program made it. `damaged`: the
 * other destination has it, but lost data of it that the copy could not send.
 */
export type SkipReason = 'present' | 'older' | 'no-tree' | 'damaged';

export interface SkippedPoint {
  readonly set: string;
  /** ISO 8601. */
  readonly restorePoint: string;
  readonly reason: SkipReason;
}

export interface CopyFailure {
  readonly set: string;
  /** ISO 8601. */
  readonly restorePoint: string;
  /** The entry path of a file that needs the chunk, if known. */
  readonly path: string | undefined;
  /** `sha256:…`, if a chunk caused it. */
  readonly chunk: string | undefined;
  readonly reason: ErrorCode;
}

export interface CopyReport {
  readonly pointsCopied: number;
  /** Restore points that the other destination had, and whose lost data it has again. */
  readonly pointsMended: number;
  readonly pointsSkipped: readonly SkippedPoint[];
  readonly chunksCopied: number;
  /** Bytes of sealed blobs. */
  readonly bytesCopied: number;
  /** Restore points that could not be copied completely, and were not created. */
  readonly failures: readonly CopyFailure[];
}

export interface CopyProgress {
  readonly kind: 'copy';
  readonly phase: 'comparing' | 'copying';
  readonly set: string;
  readonly pointsTotal: number;
  /** Copied, skipped or failed. */
  readonly pointsDone: number;
  readonly chunksTotal: number;
  /** Of the current restore point. */
  readonly chunksDone: number;
  readonly bytesCopied: number;
  readonly waiting: string | undefined;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}
