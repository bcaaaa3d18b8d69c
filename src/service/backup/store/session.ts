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

/** Backup sessions, and the restore points that they become. Times are milliseconds since the epoch. */
export interface SessionStore {
  /** Starts receiving a manifest relative to the newest tree of the set. Creates the set if it is new. */
  begin(session: NewSession): Promise<BackupSession>;
  /** Starts a session that waits for its manifest. */
  wait(session: NewSession, event: (session: BackupSession) => EmittedEvent): Promise<BackupSession>;
  /** Records that the manifest has arrived completely. @throws PersonQuotaError */
  open(number: number, totals: ManifestTotals, event: EmittedEvent, now: number): Promise<void>;
  /**
   * Records that the manifest of a waiting session has arrived completely: the session that received it takes over the waiting
   * session's id and start. Returns `undefined` if either has ended, or another manifest came first.
   *
   * @throws PersonQuotaError
   */
  continueWith(waiting: number, receiving: ReceivedManifest): Promise<BackupSession | undefined>;
  /** Records a request of the client. */
  touch(number: number, now: number): Promise<void>;
  find(id: string): Promise<BackupSession | undefined>;
  /** Returns the bytes of all versions of the account's files, by `treeBytesOf`. */
  treeBytes(accountId: string): Promise<number>;
  progress(number: number, progress: BackupProgress): Promise<void>;
  /** Returns hashes of the session's chunks that are not stored with the manifest's size, in manifest order. */
  missingChunks(number: number, limit: number): Promise<readonly string[]>;
  /**
   * Makes the session's tree the newest of its set. It is durable, with everything that it refers to, when this resolves. If
   * its base is no longer the newest tree, the result still equals its manifest. Returns `undefined` if the session is not
   * open.
   */
  complete(number: number, completion: SessionCompletion): Promise<CompletedRun | undefined>;
  /** Ends a session that is not completed; returns false if it had ended before. */
  fail(number: number, now: number, event: EmittedEvent | undefined): Promise<boolean>;
  /** Returns unfinished sessions whose client made its last request before `before`. */
  overdue(before: number, limit: number): Promise<readonly BackupSession[]>;
  unfinishedOfSet(setNumber: number): Promise<readonly BackupSession[]>;
  /**
   * Deletes a bounded number of rows that ended sessions leave behind. Returns the chunks whose blobs, if they were uploaded,
   * are no longer needed; `undefined` if nothing was left to delete.
   */
  sweep(): Promise<readonly AbandonedChunk[] | undefined>;
  /** Deletes failed sessions that ended before `before`, and those that others continued, once nothing of them is left to sweep. */
  prune(before: number): Promise<void>;
  findSet(deviceId: string, name: string): Promise<BackupSetRow | undefined>;
  sets(deviceId: string): Promise<readonly BackupSetRow[]>;
  /** Newest first. */
  restorePoints(setNumber: number): Promise<readonly RestorePointRow[]>;
  /** Finds the restore point that has a time, or else the newest of those that have an earlier one or were completed until then. */
  restorePointAt(setNumber: number, time: number): Promise<RestorePointRow | undefined>;
  /** Finds the first restore point after `time`. */
  restorePointAfter(setNumber: number, time: number): Promise<RestorePointRow | undefined>;
}
