import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../crypto/keys.ts';
import type { RunWarning } from '../backup/types.ts';
import type { BlobDownloader, ServiceClient } from '../transfer/ports.ts';
import type { WorkerPool } from '../workers/pool.ts';

/** Which tree: a device's set as it stood at a time. */
export interface RestoreSource {
  readonly deviceId: string;
  readonly backupSet: string;
  /** Milliseconds since the epoch, or the newest restore point. */
  readonly at: number | 'latest';
}

export type ConflictChoice = 'skip' | 'overwrite' | 'keep-both';

export interface RestoreRequest {
  readonly source: RestoreSource;
  /** Entry paths of files or folders; none means every root of the set. */
  readonly paths: readonly string[];
  /** An absolute path of this operating system. Each root (or path) P goes to DIR/<P's own name>. */
  readonly to: string;
  /** Without it, a restore that would overwrite anything throws `target_conflict` before it writes. */
  readonly conflict?: ConflictChoice;
  readonly dryRun?: boolean;
  /** Local folders that are backed up: restoring into one of them is refused (`target_inside_source`). */
  readonly sourceRoots: readonly string[];
}

export interface RestoreDependencies {
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
  readonly catalog: Catalog;
  readonly pool: WorkerPool;
  readonly keys: Keys;
  readonly clock: Clock;
  /** A folder of ours for plans too large for memory; the restore removes what it puts there. */
  readonly scratch: string;
}

export interface RestoreFailure {
  readonly path: string;
  /** `sha256:…`, where one chunk is at fault. */
  readonly chunk: string | undefined;
  /** An ErrorCode (`chunk_tampered`, `chunk_corrupt`, `chunk_missing`, `file_size_mismatch`, `target_full` …). */
  readonly reason: string;
}

export interface RestoreReport {
  readonly restorePoint: string;
  readonly filesRestored: number;
  readonly filesSkipped: number;
  readonly bytesWritten: number;
  readonly bytesDownloaded: number;
  readonly failures: readonly RestoreFailure[];
  readonly warnings: readonly RunWarning[];
  /** In a dry run and in a conflict: targets that exist already. */
  readonly conflicts: readonly string[];
}

export interface VerifyRequest {
  readonly source: RestoreSource;
  /** Percent of the chunks to download and open, chosen at random; 100 is all. */
  readonly samplePercent: number;
}

export interface VerifyReport {
  readonly restorePoint: string;
  readonly filesChecked: number;
  readonly chunksChecked: number;
  readonly failures: readonly RestoreFailure[];
  readonly warnings: readonly RunWarning[];
}

export interface ListedEntry {
  /** An entry path. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly size: number;
  /** ISO 8601, milliseconds. */
  readonly modified: string;
}
