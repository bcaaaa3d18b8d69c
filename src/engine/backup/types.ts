import type { Clock } from '../../base/clock.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { Keys } from '../crypto/keys.ts';
import type { ExclusionEffect } from '../scan/exclusion.ts';
import type { RunWarning } from '../job/run-warning.ts';
import type { BlobUploader, ServiceClient } from '../transfer/ports.ts';
import type { BackupPool } from './tasks.ts';

/** What a backup set is, as the person configured it. */
export interface BackupSetSpec {
  readonly name: string;
  /** Absolute paths of this operating system, each a folder or a file; none inside another. */
  readonly roots: readonly string[];
  /** Patterns in gitignore syntax, relative to each root. */
  readonly excludes: readonly string[];
  /** Names of exclusion presets (scan/presets.ts). */
  readonly presets: readonly string[];
  readonly oneFileSystem: boolean;
  /** Whether the service sees sealed names only (format.md, "Private names"). */
  readonly privateNames: boolean;
}

export interface BackupRequest {
  readonly set: BackupSetSpec;
  readonly deviceId: string;
  /** Scan and count only: nothing is sent and no restore point is made. */
  readonly dryRun?: boolean;
  /** Read every file again, whatever its times say. */
  readonly rehash?: boolean;
  /** Accept that a root is empty, or not the mount that it was. */
  readonly allowEmpty?: boolean;
  /** Entry paths of folders in which something is known to have changed: they are looked at first. */
  readonly first?: readonly string[];
  /** Entry paths of Holdfast's own folders (home, destination), which never go into a backup. */
  readonly ownFolders?: readonly string[];
  /** The key envelope to store as `/.holdfast/keys`. */
  readonly keyEnvelope: Uint8Array;
}

export interface BackupDependencies {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly catalog: Catalog;
  readonly pool: BackupPool;
  readonly keys: Keys;
  readonly clock: Clock;
  /**
   * The newest tree of this device's set at the service, for a computer that has none in its catalog; nothing where the
   * set has no restore point. Throws `phrase_other_account` where our keys do not open it.
   */
  readonly previousTree: () => Promise<SeenTree | undefined>;
  /** An existing folder of ours for the tree of this run; what is put there is removed at the end. */
  readonly scratch: string;
}

export interface BackupReport {
  /** Absent in a dry run. */
  readonly backupId: string | undefined;
  readonly restorePoint: string | undefined;
  readonly filesProcessed: number;
  readonly chunksNew: number;
  readonly chunksDeduped: number;
  readonly bytesScanned: number;
  /** Bytes of sealed blobs that were uploaded; in a dry run, 0. */
  readonly bytesUploaded: number;
  /** What the service says that everything of the account takes there; absent in a dry run. */
  readonly storageUsedBytes: number | undefined;
  /** In a dry run: bytes of files that are new or changed since the last run. */
  readonly bytesChanged: number;
  readonly durationSeconds: number;
  readonly warnings: readonly RunWarning[];
  readonly excluded: readonly ExclusionEffect[];
}
