import type { BackupStats } from '../../../protocol/backup.ts';
import type { EmittedEvent } from '../../../protocol/webhooks.ts';

/**
 * `waiting` for a manifest, `receiving` it, or `open` for the chunks that it needs. A waiting session becomes `continued` when
 * the session that received its manifest takes over its name.
 */
export type SessionState = 'waiting' | 'receiving' | 'open' | 'completed' | 'failed' | 'continued';

/** The states of a session that has not ended. */
export const UNFINISHED: readonly SessionState[] = ['waiting', 'receiving', 'open'];

export interface BackupSession {
  readonly id: string;
  readonly number: number;
  readonly accountId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly state: SessionState;
  readonly createdAt: number;
  /** The client's last request, within a few minutes. */
  readonly activeAt: number;
  /** The sequence of the tree that the manifest is compared with; 0 for the empty one. */
  readonly base: number;
  readonly totals: ManifestTotals;
  /** Set once the session is completed. */
  readonly run: CompletedRun | undefined;
}

export interface ManifestTotals {
  readonly files: number;
  /** Plaintext bytes of all files. */
  readonly bytes: number;
  /** Plaintext bytes of the distinct chunks that have to be uploaded, or were before the manifest arrived. */
  readonly bytesNeeded: number;
  readonly chunksNeeded: number;
  readonly chunksDeduped: number;
  /** Bytes of the rows that it staged, by `treeBytesOf`. */
  readonly treeBytes: number;
}

/** A manifest that arrived completely. */
export interface ReceivedManifest {
  /** The session that received it. */
  readonly number: number;
  readonly totals: ManifestTotals;
  /** Plaintext bytes of its chunks that the waiting session announced. */
  readonly bytesAnnounced: number;
}

export interface CompletedRun {
  /** Orders all runs of the database. */
  readonly sequence: number;
  readonly backupId: string;
  readonly restorePoint: number;
  readonly completedAt: number;
  /** Bytes of the account's blobs, right after this run. */
  readonly storageUsed: number;
}

export interface BackupProgress {
  readonly chunksUploaded: number;
  readonly chunksTotal: number;
  readonly bytesUploaded: number;
  readonly at: number;
}

export interface RestorePointRow {
  readonly sequence: number;
  readonly backupId: string;
  readonly restorePoint: number;
  /** When the run was completed: before `restorePoint` if that follows one from a clock that was ahead, and after it for a copy. */
  readonly completedAt: number;
  readonly files: number;
  readonly bytes: number;
}

export interface BackupSetRow {
  readonly number: number;
  readonly name: string;
  readonly lastRestorePoint: number | undefined;
}

export interface NewSession {
  readonly accountId: string;
  readonly deviceId: string;
  readonly setName: string;
  readonly now: number;
}

/** A chunk that was announced by a session that has ended, and that nothing refers to. */
export interface AbandonedChunk {
  readonly accountId: string;
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
}

export interface SessionCompletion {
  readonly now: number;
  readonly stats: BackupStats;
  readonly events: (run: CompletedRun) => readonly EmittedEvent[];
}
