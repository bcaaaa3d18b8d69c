import type { RunWarning } from '../jobs/run-warning.ts';
import type {
  BackupFileEntry,
  BackupInitResponseHead,
  BackupProgressRequest,
  BackupRun,
  BackupStats,
} from '../protocol/backup.ts';
import type { ChunkReference } from '../protocol/chunk.ts';
import type { Device } from '../protocol/devices.ts';
import type { BackupSet, Capability, DeltaEntry, RestorePoint } from '../protocol/extensions.ts';
import type { BlobKind } from '../format/crypto/blob.ts';
import type { RestoreFileEntry, RestoreManifestHead, RestoreManifestRequest } from '../protocol/restore.ts';
import type { ManifestTotal } from './client/manifest-totals.ts';
import type { BlobArena } from './blobs/blob-arena.ts';

/** A manifest as its differences from an earlier one. */
export interface DeltaManifest {
  /** `backup_id` of the run that sent the earlier one. */
  readonly base: string;
  /** In the order of the paths that are sent; produced anew for each attempt. */
  readonly changes: () => AsyncIterable<readonly DeltaEntry[]>;
}

export interface ManifestRequest {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly files: () => AsyncIterable<readonly BackupFileEntry[]>;
  /** Sent instead of `files`. Requires `backup.init.delta`. */
  readonly delta?: DeltaManifest;
  /** The session from `backupOpen` that this manifest belongs to. */
  readonly sessionId?: string | undefined;
}

/** An element of a restore manifest that is not a valid file entry. */
export interface MalformedEntry {
  /** Its path, if it has a valid one. */
  readonly path: string | undefined;
}

/** The answer to a manifest without `chunks_needed`. */
export interface StartedBackup extends BackupInitResponseHead {
  /** The number of elements of `chunks_needed` that name no chunk. */
  readonly malformed?: number;
}

/** A completed run, as far as the service says. */
export interface CompletedRun extends Pick<BackupRun, 'backup_id' | 'restore_point' | 'completed_at'> {
  readonly storage_used_bytes?: number | undefined;
}

/** The answer to a restore manifest without its files. */
export interface StartedRestore extends Pick<RestoreManifestHead, 'restore_session_id' | 'point_in_time'> {
  /** A total that is not that of the files. They are what they are all the same: the tree says which there should be. */
  readonly differing?: ManifestTotal | undefined;
}

/** Times of restore points that lack something, in milliseconds since the epoch. */
export interface DamagedPoints {
  /** Of restore points whose trees cannot be read: a copy of the same time takes the place of one. */
  readonly unreadable: ReadonlySet<number>;
  /** Of the others. */
  readonly incomplete: ReadonlySet<number>;
}

/** The restore points of a set as a destination lists them. */
export interface ListedPoints {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly points: readonly ListedPoint[];
}

/** A restore point as each list has it. */
export type ListedPoint = Pick<RestorePoint, 'backup_id' | 'restore_point' | 'completed_at'>;

/** The control plane as the engine uses it. Every call may throw HoldfastError `service_*`, `signed_out` … */
export interface ServiceClient {
  /**
   * `compare` if restore manifests list the files, which are compared with the tree. `none` if a destination has only the
   * reserved entries, whose restore session serves every chunk.
   */
  readonly manifests: 'compare' | 'none';
  /** True if `backup.complete.time` also keeps a time before that of another restore point of the set. */
  readonly keepsPastTimes?: boolean;
  /** The service's time in milliseconds since the epoch. Differences of up to 30 s from this computer's are ignored. */
  now(): number;
  capabilities(signal?: AbortSignal): Promise<ReadonlySet<Capability>>;
  /** Opens a session before its manifest. Requires `backup.open`. */
  backupOpen(request: { deviceId: string; backupSet: string }, signal?: AbortSignal): Promise<string>;
  /**
   * Sends the manifest as `files` produces it, anew for each attempt, and passes on the needed chunks as they arrive.
   *
   * @param onRestart called when the response broke off after chunks had been passed on; the manifest is sent again, and
   *   all of them follow again. Without it the call fails with a retryable `service_unreachable`.
   */
  backupInit(
    request: ManifestRequest,
    onNeeded: (chunks: readonly ChunkReference[]) => void,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<StartedBackup>;
  /** Problems of the destination itself that are known after a backup, with its address as the path. */
  destinationWarnings?(): readonly RunWarning[];
  /** A service calls it with each list of restore points before it returns that, and with an empty one if it does not know the set. */
  onListed?: ((list: ListedPoints, signal?: AbortSignal) => Promise<void>) | undefined;
  /** What a service has answered so far that may hide something, with its address as the path. */
  answerWarnings?(): readonly RunWarning[];
  /**
   * Compares what the destination has with what it should have. Returns the times of the set's restore points that lack something, in
   * milliseconds since the epoch.
   */
  damagedPoints?(deviceId: string, backupSet: string, signal?: AbortSignal): Promise<DamagedPoints>;
  /**
   * Takes chunks for missing that a restore found damaged: the next backup is asked for them, under their own names. Absent if the
   * destination keeps what it has under a name. Failures are ignored.
   *
   * @param digests 32 raw bytes each
   */
  markDamaged?(digests: readonly Buffer[], signal?: AbortSignal): Promise<void>;
  /** Ends a session whose chunks other restore points need: they are stored for good, without a new restore point. */
  backupMend?(sessionId: string, signal?: AbortSignal): Promise<void>;
  /** Tried once. Failures are ignored. */
  backupProgress(request: BackupProgressRequest, signal?: AbortSignal): Promise<void>;
  /**
   * @throws HoldfastError `chunk_missing` (retryable, `chunks` in its details) if the service lacks chunks. After `service_error` and
   *   `service_broken` the run may be complete nevertheless
   */
  backupComplete(sessionId: string, stats: BackupStats, signal?: AbortSignal): Promise<CompletedRun>;
  /** Tried once, if the service has `backup.abort`. Failures are ignored, since sessions expire by themselves. */
  backupAbort(sessionId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Passes the files on as they arrive, in the service's order.
   *
   * @param onFiles receives malformed elements beside the files
   * @param onRestart as for `backupInit`
   * @throws HoldfastError `no_restore_point` (with `nearest` in its details if the service lists them)
   */
  restoreManifest(
    request: RestoreManifestRequest,
    onFiles: (files: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]) => void | Promise<void>,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<StartedRestore>;
  /**
   * Reports the start of a restore with what it writes, or its end with what it wrote. Tried once, if the service has
   * `restore.report`. Failures are ignored.
   */
  restoreReport?(
    sessionId: string,
    state: 'started' | 'completed',
    written: { readonly files: number; readonly bytes: number },
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Opens another restore session in the place of one that the service no longer knows. Returns `undefined` if it was not opened with this
   * client.
   */
  reopenRestore?(sessionId: string, signal?: AbortSignal): Promise<string | undefined>;
  devices(signal?: AbortSignal): Promise<readonly Device[]>;
  /** Newest first; `undefined` if the service has no such list. */
  restorePoints(
    deviceId: string,
    backupSet: string,
    signal?: AbortSignal,
  ): Promise<readonly RestorePoint[] | undefined>;
  backupSets(deviceId: string, signal?: AbortSignal): Promise<readonly BackupSet[] | undefined>;
}

export interface SealedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Bytes of the plaintext. */
  readonly size: number;
  readonly kind: BlobKind;
}

/** Blobs that were not stored before. */
export interface NewBlobs {
  readonly blobs: number;
  /** Sealed bytes, of each copy that was stored. */
  readonly bytes: number;
  readonly plaintextBytes: number;
}

/** Uploads sealed blobs of one backup session. */
export interface BlobUploader {
  /** Resolves when the storage has acknowledged every blob. A blob that it already has counts as acknowledged. */
  upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs>;
  /** Number of batches that should be under way at once now. */
  readonly concurrency: number;
}

/** Downloads blobs of one restore session. */
export interface BlobDownloader {
  /**
   * Calls `onBlob` once for each hash, in any order, with `undefined` for a blob that the service or its storage lacks or cannot read.
   * The bytes are unchecked: the caller opens them, and requests a damaged blob again.
   *
   * @param arena memory that the downloader may put blobs into
   */
  download(
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
    arena?: BlobArena,
  ): Promise<void>;
  /**
   * Announces which chunks are going to be requested, so that those that stand close together can be read at once. A later call replaces
   * what was announced before. A chunk that is never requested, or that was not announced, does no harm.
   *
   * @param isExpected by the digest; may be wrong in rare cases
   */
  expect?(isExpected: (digest: Uint8Array) => boolean): void;
  readonly concurrency: number;
  /** Present if blobs may come from several destinations. */
  readonly several?: SeveralDestinations;
}

/** What a download from several destinations needs to know, and found out. */
export interface SeveralDestinations {
  /** Number of destinations besides the one that the restore session belongs to. */
  readonly others: number;
  /** The destination of the blob that `onBlob` receives at the moment. */
  readonly delivering: BlobSource;
  /**
   * Must be called for a damaged blob before it is requested again. Another destination is asked for it then.
   *
   * @param source of this blob. Requests for one chunk may overlap: another destination may have delivered it since.
   */
  reject(hash: string, source: BlobSource): void;
  /** What was read so far, from destinations that delivered something; empty if only the first did. */
  readonly read: readonly ReadSource[];
  /** `sha256:…` of blobs that were damaged at the destination that the restore session belongs to. */
  readonly damaged: ReadonlySet<string>;
}

/** A destination that has delivered a blob. */
export interface BlobSource {
  readonly name: string;
}

/** What was read from one destination. */
export interface ReadSource {
  /** Its name. */
  readonly destination: string;
  readonly chunks: number;
  /** Bytes of sealed blobs. */
  readonly bytes: number;
}
