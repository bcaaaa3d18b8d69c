import type { SetRules } from './conflicts/surplus.ts';
import type { MetEntry } from './conflicts/existing-comparison.ts';
import type { NameProblems } from './conflicts/name-problems.ts';
import type { ConflictChoice, RestoreRequest, RestoreSource } from '../model/restore-request.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import type { ReadDependencies } from '../read/types.ts';
import type { ReadSource } from '../remote/ports.ts';
import type { ReportedSurplus } from './record/surplus-store.ts';
import type { RestorePool } from './tasks.ts';

/** A restore request whose set was found at the opened destination, with what only this computer knows. */
export interface LocalRestoreRequest extends Omit<RestoreRequest, 'set' | 'device' | 'destination' | 'at'> {
  readonly source: RestoreSource;
  readonly dryRun?: boolean;
  /** Local folders that are backed up: restoring into one is refused (`target_inside_source`). */
  readonly sourceRoots: readonly string[];
  /** The rules of the set on this computer, which `exact` needs. */
  readonly rules?: SetRules | undefined;
}

export interface RestoreDependencies extends ReadDependencies {
  readonly pool: RestorePool;
  /** An existing folder for plans, and for the records of restores that cannot be undone; the restore removes its files from it. */
  readonly scratch: string;
  /** An existing folder for the records by which restores to the original places are undone; none are kept by default. */
  readonly undoRecords?: string;
}

/** Maximum number of failures that a report lists. */
export const MAX_FAILURES = 10_000;

export interface RestoreFailure {
  readonly path: string;
  /** `sha256:…`, if a chunk caused it. */
  readonly chunk: string | undefined;
  /** An ErrorCode (`chunk_tampered`, `chunk_corrupt`, `chunk_missing`, `file_size_mismatch`, `target_full` …). */
  readonly reason: ErrorCode;
  /**
   * The operating system's error code (`ENAMETOOLONG`, `EACCES`, `EISDIR` …), a problem of the tree, or `from PATH` with the
   * first path of the part of the tree that is lost.
   */
  readonly detail: string | undefined;
}

/** A file that a drill has restored and compared. */
export interface DrilledFile {
  readonly path: string;
  readonly bytes: number;
  /** Of its content as it was restored. */
  readonly sha256: string;
}

export interface DrillReport {
  readonly restorePoint: string;
  /** Files and bytes of the whole restore point. */
  readonly pointFiles: number;
  readonly pointBytes: number;
  /** Files chosen for their time, and at random. */
  readonly newestFiles: number;
  readonly randomFiles: number;
  readonly filesRestored: number;
  readonly bytesWritten: number;
  readonly bytesDownloaded: number;
  /** Restored files with the content that the tree proves. */
  readonly filesCompared: number;
  /** Of these, files with the same content on this computer, unchanged since. */
  readonly filesSameOnDisk: number;
  /** The first 500. */
  readonly sample: readonly DrilledFile[];
  /** SHA-256 of a line for each compared file, as `sha256sum` writes it. */
  readonly digest: string;
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  readonly filesFailed?: number;
  readonly warnings: readonly RunWarning[];
  readonly sources?: readonly ReadSource[];
}

/** A harmless fact about the whole restore. */
export type RestoreNote = 'ownership-not-restored' | 'with-database-logs' | 'links-copied';

export interface RestoreReport {
  readonly restorePoint: string;
  /** Real path of the folder that has everything that is restored. */
  readonly target: string;
  /** Files, hard links included; folders are not counted. In a dry run: what would be restored. */
  readonly filesRestored: number;
  /** Files left as they are in the target because of the conflict choice. */
  readonly filesSkipped: number;
  /** Files in their original place that had the content of the backup already. */
  readonly filesUnchanged: number;
  /** Files completed by an interrupted run of the same restore; also counted in `filesRestored`. */
  readonly filesResumed: number;
  /** Their bytes, which are not in `bytesWritten`. */
  readonly bytesResumed: number;
  /** Bytes of restored files; in a dry run, bytes that would be written. */
  readonly bytesWritten: number;
  /** Bytes of sealed blobs. */
  readonly bytesDownloaded: number;
  /** At most MAX_FAILURES of them; `failuresTotal` counts all. */
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  /** Files that failures are about. */
  readonly filesFailed: number;
  /** Why the remaining files were not tried (`target_full`). Each of them is in `failures`. */
  readonly stoppedBy: ErrorCode | undefined;
  readonly warnings: readonly RunWarning[];
  /** Attributes that could not be set; the first MAX_FAILURES of them are among the warnings. */
  readonly attributesNotRestored: number;
  /**
   * What is in its original place with other attributes than those of the restore point and keeps them, since nothing is to be
   * overwritten: the first 1,000, as paths of this operating system.
   */
  readonly attributesLeft: readonly string[];
  readonly attributesLeftTotal: number;
  readonly notes: readonly RestoreNote[];
  /** Targets that existed already, the first 1,000, as paths of this operating system. */
  readonly conflicts: readonly string[];
  readonly conflictsTotal: number;
  /** Of these, files that were modified after the version that is restored. */
  readonly conflictsNewer: number;
  /** Of a dry run. */
  readonly planned?: PlannedRestore;
  /** Entries that cannot have their name in the target. */
  readonly names: NameProblems;
  /** Of a dry run to the original places: bytes of plaintext that have to be fetched. */
  readonly bytesToFetch?: number;
  /** Of an exact restore: what did not exist then, and was moved aside; in a dry run: would be. */
  readonly surplus?: ReportedSurplus;
  /** Real paths of the folders with what was replaced by a restore to the original places. */
  readonly keptIn: readonly string[];
  /** What was read from each destination, if not only from the one of the request. */
  readonly sources?: readonly ReadSource[];
}

export interface PlannedRestore {
  /** Files of which nothing exists at their target. */
  readonly filesNew: number;
  /** Conflicts that no choice is about: the restore would stop before it writes. */
  readonly undecided: number;
  /** Conflicts by their choice. */
  readonly byChoice: Readonly<Record<ConflictChoice, number>>;
  /** What the target has in the places of entries, the first of it. */
  readonly met: readonly MetEntry[];
  /** Bytes of free space that the files need. */
  readonly bytesNeeded: number;
}

export interface VerifyReport {
  /** The newest of those that were checked. */
  readonly restorePoint: string;
  readonly pointsChecked: number;
  /** Files whose every chunk was checked. Each version of a file is one. */
  readonly filesChecked: number;
  readonly chunksChecked: number;
  /** Bytes of the plaintexts of the chunks. */
  readonly bytesChecked: number;
  /** Bytes of sealed blobs. */
  readonly bytesDownloaded: number;
  /** Files that `failures` are about, each once. */
  readonly filesDamaged: number;
  /** At most MAX_FAILURES of them, and at most 100 files for each chunk; `failuresTotal` counts all. */
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  readonly warnings: readonly RunWarning[];
  /** As of a restore. */
  readonly sources?: readonly ReadSource[];
}
