import type {
  BackupFileEntry,
  BackupInitResponseHead,
  BackupProgressRequest,
  BackupRun,
  BackupStats,
} from '../../protocol/backup.ts';
import type { ChunkReference } from '../../protocol/chunk.ts';
import type { Device } from '../../protocol/devices.ts';
import type { BackupSet, Capability, DeltaEntry, RestorePoint } from '../../protocol/extensions.ts';
import type { RestoreFileEntry, RestoreManifestHead, RestoreManifestRequest } from '../../protocol/restore.ts';
import type { BlobArena } from './blobs/blob-arena.ts';

/** A manifest as its differences from another one. */
export interface DeltaManifest {
  /** `backup_id` of the run that sent the other one. */
  readonly base: string;
  /** In path order, as the service gets the paths; made anew for each try. */
  readonly changes: () => AsyncIterable<readonly DeltaEntry[]>;
}

/** The control plane, as the engine uses it. Every call may throw HoldfastError `service_*`, `signed_out` … */
export interface ServiceClient {
  /** The service's clock in ms, corrected by its Date header where it differs from ours by more than 30 s. */
  now(): number;
  capabilities(signal?: AbortSignal): Promise<ReadonlySet<Capability>>;
  /** A session before its manifest; only where the service has `backup.open`. */
  backupOpen(request: { deviceId: string; backupSet: string }, signal?: AbortSignal): Promise<string>;
  /**
   * Sends the manifest as it is produced (`files` makes it anew for each try) and hands the needed chunks over as they
   * arrive.
   *
   * @param onRestart an answer broke off after chunks had been handed over, and the manifest is sent again: forget them.
   *   Without it such a call fails with a retryable `service_unreachable`.
   */
  backupInit(
    request: {
      readonly deviceId: string;
      readonly backupSet: string;
      readonly files: () => AsyncIterable<readonly BackupFileEntry[]>;
      /** Sent in the place of `files`; only where the service has `backup.init.delta`. */
      readonly delta?: DeltaManifest;
      /** The session from `backupOpen` that goes on with this manifest. */
      readonly sessionId?: string | undefined;
    },
    onNeeded: (chunks: readonly ChunkReference[]) => void,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<BackupInitResponseHead>;
  /** Tried once; its failure is nobody's concern and is not reported. */
  backupProgress(request: BackupProgressRequest, signal?: AbortSignal): Promise<void>;
  /** `chunk_missing` (retryable, `chunks` in its details) where the service lacks chunks of the manifest. */
  backupComplete(sessionId: string, stats: BackupStats, signal?: AbortSignal): Promise<BackupRun>;
  /** Tried once, where the service has `backup.abort`; its failure is not reported, since sessions expire by themselves. */
  backupAbort(sessionId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Hands the files over as they arrive, in the service's order; rejects with `no_restore_point` (`nearest` in its
   * details, where the service tells) and with `service_broken` where what arrived does not agree with the totals.
   *
   * @param onRestart as for `backupInit`
   */
  restoreManifest(
    request: RestoreManifestRequest,
    onFiles: (files: readonly RestoreFileEntry[]) => void | Promise<void>,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<RestoreManifestHead>;
  devices(signal?: AbortSignal): Promise<readonly Device[]>;
  /** Newest first; nothing where the service has no such list. */
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
}

/** Of some blobs, those that were not there before. */
export interface NewBlobs {
  readonly blobs: number;
  /** Of the blobs as they are stored. */
  readonly bytes: number;
}

/** Puts sealed blobs of one backup session where the service wants them. */
export interface BlobUploader {
  /** Resolves when the storage has acknowledged every blob. A blob that is there already counts as stored. */
  upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs>;
  /** Batches that are worth having under way at once, now. */
  readonly concurrency: number;
}

/** Fetches blobs of one restore session. */
export interface BlobDownloader {
  /**
   * Calls `onBlob` once for each hash, in any order, with nothing where the service or its storage has no such blob.
   * The bytes are as the storage gave them: the caller opens and checks them, and asks again for one that is damaged.
   *
   * @param room what blobs may be put into, where the downloader can make use of it
   */
  download(
    restoreSessionId: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
    room?: BlobArena,
  ): Promise<void>;
  readonly concurrency: number;
}
