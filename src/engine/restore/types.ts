import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../../base/clock.ts';
import type { Keys } from '../crypto/keys.ts';
import type { RestoreRequest, RestoreSource } from '../job/job-request.ts';
import type { RunWarning } from '../job/run-warning.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { BlobDownloader, ServiceClient } from '../transfer/ports.ts';
import type { RestorePool } from './tasks.ts';

/** A restore request with what only this computer knows. */
export interface LocalRestoreRequest extends RestoreRequest {
  readonly dryRun?: boolean;
  /** Local folders that are backed up: restoring into one of them is refused (`target_inside_source`). */
  readonly sourceRoots: readonly string[];
}

export interface RestoreDependencies {
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
  readonly catalog: Catalog;
  readonly pool: RestorePool;
  readonly keys: Keys;
  readonly clock: Clock;
  /** A folder of ours for plans too large for memory; the restore removes what it puts there. */
  readonly scratch: string;
}

/** Failures that a report names one by one. */
export const MAX_FAILURES = 10_000;

export interface RestoreFailure {
  readonly path: string;
  /** `sha256:…`, where one chunk is at fault. */
  readonly chunk: string | undefined;
  /** An ErrorCode (`chunk_tampered`, `chunk_corrupt`, `chunk_missing`, `file_size_mismatch`, `target_full` …). */
  readonly reason: ErrorCode;
  /** The operating system's word for it, where it has one (`ENAMETOOLONG`, `EACCES`, `EISDIR` …). */
  readonly detail: string | undefined;
}

/** What holds for the whole restore and is no reason to worry: said once. */
export type RestoreNote = 'ownership-not-restored';

export interface RestoreReport {
  readonly restorePoint: string;
  /** Files and links, hard links too; folders are not counted. In a dry run: what would be restored. */
  readonly filesRestored: number;
  /** Left as they are in the target, because of the conflict choice. */
  readonly filesSkipped: number;
  /** Complete already from an interrupted run of the same restore; also counted in `filesRestored`. */
  readonly filesResumed: number;
  /** Bytes of restored files; in a dry run, those that would be written. */
  readonly bytesWritten: number;
  /** Sealed bytes. */
  readonly bytesDownloaded: number;
  /** At most MAX_FAILURES of them; `failuresTotal` counts all. */
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  /** Why the rest was not tried (`target_full`): each file that is missing stands in `failures`. */
  readonly stoppedBy: ErrorCode | undefined;
  readonly warnings: readonly RunWarning[];
  readonly notes: readonly RestoreNote[];
  /** Targets that existed already, the first 1,000; paths of this operating system. */
  readonly conflicts: readonly string[];
  readonly conflictsTotal: number;
}

export interface VerifyReport {
  readonly restorePoint: string;
  readonly filesChecked: number;
  readonly chunksChecked: number;
  /** At most MAX_FAILURES of them, and at most 100 files for each chunk; `failuresTotal` counts all. */
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  readonly warnings: readonly RunWarning[];
}

export interface ListRequest {
  readonly source: RestoreSource;
  /** Entry path of a folder (or of one file); `''` and `/` are everything. */
  readonly path: string;
  /** Without it, only what is directly inside. */
  readonly recursive: boolean;
}

export interface ListedEntry {
  /** An entry path. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly size: number;
  /** ISO 8601, milliseconds. */
  readonly modified: string;
}
