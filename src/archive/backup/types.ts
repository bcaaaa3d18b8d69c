import type { Clock } from '../../base/clock.ts';
import type { Compression } from '../../model/compression.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Keys } from '../../format/crypto/keys.ts';
import type { BackupProgress, RunOptions } from '../../jobs/progress.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { LeftOutByRule } from '../../base/left-out.ts';
import type { NewestTree } from '../../read/source/tree.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from '../../remote/ports.ts';
import type { ListedPiece } from '../../format/tree/record.ts';
import type { VolumeCopies } from './reading/volume-copies.ts';
import type { BackupPool } from './tasks.ts';

/** Configuration of a backup set. */
export interface BackupSetSpec {
  readonly name: string;
  /** Absolute paths of this operating system, each a folder, a file, or a link to one; none inside another. */
  readonly roots: readonly string[];
  /** Patterns in gitignore syntax, relative to each root. */
  readonly excludes: readonly string[];
  /** Names of exclusion presets (scan/presets/presets.ts). */
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  /**
   * Roots, and folders in them on which a disk is mounted, that may be absent, as on a disk that is rarely connected: their last versions stay
   * without a warning.
   */
  readonly optionalRoots?: readonly string[] | undefined;
  /** `skip` by default: files that are online only keep their last version, and `fetch` has them downloaded. */
  readonly onlineFiles?: 'skip' | 'fetch' | undefined;
  /** True if the service gets only sealed names (format.md, "Private names"). */
  readonly privateNames: boolean;
  /** `default` if absent. */
  readonly compression?: Compression | undefined;
}

export interface BackupRequest {
  readonly set: BackupSetSpec;
  /** Read every file again, even if its times have not changed. */
  readonly rehash?: boolean;
  /** Accept that sources are empty, and that disks are no longer mounted, or others are: what is not there was deleted. */
  readonly allowEmpty?: boolean;
  /** Entry paths of folders for which that is accepted, with what is in them. */
  readonly accepted?: readonly string[];
  /** Entry paths of folders with known changes, which are scanned first. */
  readonly first?: readonly string[];
  /** Entry paths of Holdfast's own folders (home, destination), which never go into a backup. */
  readonly ownFolders?: readonly string[];
  /** True if a command runs before the backup, as one that has a database make a copy. */
  readonly hasCommand?: boolean;
  /** The key envelope to store as `/.holdfast/keys`. */
  readonly keyEnvelope: Uint8Array;
  /** This computer as people know it. */
  readonly deviceName?: string;
}

/** An open destination. */
export interface TargetAccess {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  /** Reads back a few chunks that are stored already (`backup.check`). */
  readonly downloader?: BlobDownloader | undefined;
  /**
   * Loads the set's newest tree from the service, for a catalog that has none; `undefined` if the set has no restore point.
   *
   * @throws HoldfastError `phrase_other_account` if the keys do not open it
   */
  readonly previousTree: () => Promise<NewestTree | undefined>;
  /** Checks the set's restore points while the set is read. Returns what the report has to contain. */
  readonly checkPoints?: () => Promise<readonly RunWarning[]>;
  /** Asks what the destination thinks of the run that was completed. Returns what the report has to contain. Never rejects because of the destination. */
  readonly judgeRun?: () => Promise<readonly RunWarning[]>;
  /** The key envelope to store there, if not that of the request. */
  readonly keyEnvelope?: Uint8Array | undefined;
}

/** The tree of a restore point that a run has completed, as far as the run wrote it. */
export interface CompletedTree {
  /** ISO 8601. */
  readonly restorePoint: string;
  /** When it was made, ISO 8601. */
  readonly madeAt: string;
  readonly backupId: string;
  /** Entry paths. */
  readonly roots: readonly string[];
  readonly pieces: readonly ListedPiece[];
  /** Returns the plaintext of a chunk of a piece; `undefined` for one of a reused piece. */
  readonly chunk: (digest: Buffer) => Buffer | undefined;
}

/** A destination of a run, with what belongs to its job. */
export interface BackupTarget extends Pick<RunOptions<BackupProgress>, 'job' | 'onJob' | 'explain' | 'onProgress'> {
  /** The id of the destination. */
  readonly destination: string;
  readonly deviceId: string;
  /** Called once, at the beginning of the run. The caller closes what it opened, also what is opened after the run. */
  readonly open: () => Promise<TargetAccess>;
  /** Called when the restore point is completed; the chunks can be read until it returns. Must not throw. */
  readonly onTree?: ((tree: CompletedTree) => void) | undefined;
}

export interface BackupDependencies {
  readonly catalog: Catalog;
  readonly pool: BackupPool;
  readonly keys: Keys;
  readonly clock: Clock;
  /** An existing folder for temporary files. */
  readonly scratch: string;
  /** For files that another program has locked or keeps writing to; Windows and macOS. */
  readonly volumeCopies?: VolumeCopies | undefined;
}

export interface BackupOptions extends Pick<RunOptions<BackupProgress>, 'signal' | 'trigger'> {
  /** Called when a destination is done, while others may not be. */
  readonly onOutcome?: (outcome: BackupOutcome) => void;
}

/** What a run achieved at one destination. */
export type BackupOutcome = { readonly destination: string } & (
  | { readonly report: BackupReport; readonly error?: undefined }
  | { readonly report?: undefined; readonly error: unknown }
);

export interface BackupReport {
  /** `undefined` in a dry run. */
  readonly backupId: string | undefined;
  readonly restorePoint: string | undefined;
  readonly filesProcessed: number;
  readonly chunksNew: number;
  readonly chunksDeduped: number;
  readonly bytesScanned: number;
  /** Bytes of the chunks that were uploaded, before compression; in a dry run, 0. */
  readonly bytesNew: number;
  /** Bytes of their sealed blobs; in a dry run, 0. */
  readonly bytesUploaded: number;
  /** What chunks were compressed with: `off` at a destination that takes none compressed. `undefined` in a dry run. */
  readonly compression: Compression | undefined;
  /** Storage that the account uses at the service; `undefined` in a dry run. */
  readonly storageUsedBytes: number | undefined;
  /** In a dry run: bytes of files that are new or changed since the last run. */
  readonly bytesChanged: number;
  readonly durationSeconds: number;
  readonly warnings: readonly RunWarning[];
  /** Facts that keep nothing out of the backup, and are worth knowing. */
  readonly notes: readonly RunWarning[];
  /** What each rule has left out. */
  readonly leftOut: readonly LeftOutByRule[];
}
