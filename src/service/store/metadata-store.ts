import type { BackupStats } from '../../protocol/backup.ts';
import type { DevicePermission } from '../../protocol/auth.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { NewAuditEntry } from './audit/audit-store.ts';
import type { SqlDatabase } from './database/sql-database.ts';
import type { TokenStore } from './accounts/token-store.ts';

/**
 * Everything that the service remembers but the blobs. Times are milliseconds since the epoch. Each method is one
 * transaction, and takes or gives thousands of rows where there can be thousands. An `event` is recorded in the
 * transaction of the fact that it tells.
 */
export interface MetadataStore {
  readonly accounts: AccountStore;
  readonly devices: DeviceStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly trees: TreeStore;
  readonly chunks: ChunkStore;
  readonly restores: RestoreStore;
  /** The same database, for stores that are written once for every database. */
  readonly sql: SqlDatabase;
  /** A random value of `bytes` bytes that the store made when it was first asked for. */
  secret(name: string, bytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

export interface Account {
  readonly id: string;
  readonly number: number;
  readonly storageUsed: number;
}

export interface User {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: string;
}

export interface Factor {
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  readonly friendlyName: string;
  /** Base32. */
  readonly secret: string;
}

export interface AccountStore {
  createAccount(now: number): Promise<Account>;
  findAccount(id: string): Promise<Account | undefined>;
  /** The oldest account: the only one of an embedded service. */
  firstAccount(): Promise<Account | undefined>;
  /** Makes account, owner and factor together; nothing where the e-mail is taken. */
  createOwner(owner: NewOwner): Promise<User | undefined>;
  userByEmail(email: string): Promise<User | undefined>;
  user(id: string): Promise<User | undefined>;
  factorsOf(userId: string): Promise<readonly Factor[]>;
  factor(id: string): Promise<Factor | undefined>;
  /** Takes a TOTP time step as used; false where it or a later one was used before. */
  useStep(factorId: string, step: number): Promise<boolean>;
}

export interface NewOwner {
  readonly email: string;
  readonly passwordHash: string;
  readonly totpSecret: string;
  readonly now: number;
}

export interface StoredDevice {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly os: string;
  readonly agentVersion: string;
  readonly keyHash: Buffer;
  readonly permissions: readonly DevicePermission[];
  readonly lastBackup: number | undefined;
  readonly revokedAt: number | undefined;
}

export interface DeviceStore {
  /** @param registration by whom, kept with the device or not at all */
  register(device: StoredDevice, now: number, event: EmittedEvent, registration?: DeviceRegistration): Promise<void>;
  find(id: string): Promise<StoredDevice | undefined>;
  /** Those that are not revoked, in the order of their registration. */
  list(accountId: string): Promise<readonly StoredDevice[]>;
  /** False where there is no such device, or it was revoked before. */
  revoke(id: string, now: number, audit?: NewAuditEntry): Promise<boolean>;
}

export interface DeviceRegistration {
  /** The id of a person; nothing where it was done through the folder itself. */
  readonly by: string | undefined;
  readonly audit: NewAuditEntry;
}

/**
 * `waiting` for a manifest, `receiving` it, or `open` for the chunks that it needs. `continued` is what is left of a
 * waiting one whose name another row has taken over.
 */
export type SessionState = 'waiting' | 'receiving' | 'open' | 'completed' | 'failed' | 'continued';

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
  /** The sequence of the tree that the manifest is compared with; 0 for the empty one. */
  readonly base: number;
  readonly totals: ManifestTotals;
  /** Present when it is completed. */
  readonly run: CompletedRun | undefined;
}

export interface ManifestTotals {
  readonly files: number;
  /** Plaintext bytes of all files. */
  readonly bytes: number;
  /** Plaintext bytes of the distinct chunks that have to be uploaded. */
  readonly bytesNeeded: number;
  readonly chunksNeeded: number;
  readonly chunksDeduped: number;
}

export interface CompletedRun {
  readonly sequence: number;
  readonly backupId: string;
  readonly restorePoint: number;
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

export interface SessionStore {
  /** Starts receiving a manifest relative to the newest tree of the set, which is made where it is new. */
  begin(session: NewSession): Promise<BackupSession>;
  /** Starts a session that waits for its manifest. */
  wait(session: NewSession, event: (session: BackupSession) => EmittedEvent): Promise<BackupSession>;
  /** The manifest has arrived whole. */
  open(number: number, totals: ManifestTotals, event: EmittedEvent, now: number): Promise<void>;
  /**
   * The manifest of a session that waited for it has arrived whole: the row that received it goes on under the name, and
   * with the beginning, of the waiting one. Nothing where either has ended, or where another manifest came first.
   */
  continueWith(waiting: number, receiving: number, totals: ManifestTotals): Promise<BackupSession | undefined>;
  /** The client was heard of. */
  touch(number: number, now: number): Promise<void>;
  find(id: string): Promise<BackupSession | undefined>;
  progress(number: number, progress: BackupProgress): Promise<void>;
  /** Chunks of the session that are not stored with the size that the manifest gave, in manifest order. */
  missingChunks(number: number, limit: number): Promise<readonly string[]>;
  /**
   * Makes the session's tree the newest of its set, durably: when this returns it is on disk with all that it refers to.
   * A session whose base is not the newest tree any more still becomes exactly its manifest. Nothing where the session
   * is not open.
   */
  complete(
    number: number,
    completion: { now: number; stats: BackupStats; events: (run: CompletedRun) => readonly EmittedEvent[] },
  ): Promise<CompletedRun | undefined>;
  /** Ends a session that is not completed; false where it had ended before. */
  fail(number: number, now: number, event: EmittedEvent | undefined): Promise<boolean>;
  /** Sessions that nobody has ended and that were last heard of before `before`. */
  overdue(before: number, limit: number): Promise<readonly BackupSession[]>;
  /**
   * Clears a bounded part of what ended sessions leave behind, and answers the chunks whose blobs nobody needs any more
   * (they may have been uploaded or not), or nothing where there was nothing left to do.
   */
  sweep(): Promise<readonly AbandonedChunk[] | undefined>;
  findSet(deviceId: string, name: string): Promise<BackupSetRow | undefined>;
  sets(deviceId: string): Promise<readonly BackupSetRow[]>;
  /** Newest first. */
  restorePoints(setNumber: number): Promise<readonly RestorePointRow[]>;
  /** The newest restore point at or before `time`. */
  restorePointAt(setNumber: number, time: number): Promise<RestorePointRow | undefined>;
  /** The first one after `time`. */
  restorePointAfter(setNumber: number, time: number): Promise<RestorePointRow | undefined>;
}

/** One state of one path; `pathKey` is `pathSortKey(path)`. */
export interface FileVersion {
  readonly pathKey: string;
  readonly size: number;
  /** Milliseconds, or ISO 8601 UTC text where milliseconds would lose something. */
  readonly modified: number | string;
  /** As packed-chunks.ts has it. */
  readonly chunks: Buffer;
}

export interface StoredVersion extends FileVersion {
  /** The session that brought it; with the path it names the version. */
  readonly validFrom: number;
}

export interface TreeRange {
  readonly setNumber: number;
  /** Of the run whose tree is asked for; 0 for the empty one. */
  readonly sequence: number;
  /** Keys behind this one. */
  readonly after: string;
  /** Keys up to and with this one; without a bound where it is left out. */
  readonly upTo?: string;
  readonly limit: number;
}

/** What a session has done with a path so far. */
export interface StagedState {
  /** The version in the tree that the session is relative to. */
  readonly base: StoredVersion | undefined;
  /** Whether the session brings a version of its own. */
  readonly staged: boolean;
  /** Whether the base version ends with the session. */
  readonly ended: boolean;
}

export interface TreeChanges {
  readonly versions: readonly FileVersion[];
  /** Base versions that end with the session. */
  readonly ends: readonly { readonly pathKey: string; readonly validFrom: number }[];
  /** Paths whose base version goes on after all. */
  readonly continued: readonly string[];
}

export interface TreeStore {
  /** Versions of one tree in the order of their keys. */
  range(range: TreeRange): Promise<readonly StoredVersion[]>;
  find(setNumber: number, sequence: number, pathKey: string): Promise<StoredVersion | undefined>;
  /** In the order of `pathKeys`. */
  staged(session: BackupSession, pathKeys: readonly string[]): Promise<readonly StagedState[]>;
  stage(session: BackupSession, changes: TreeChanges): Promise<void>;
}

export interface ChunkRow {
  readonly id: number;
  /** Plaintext bytes, once it is stored durably. */
  readonly size: number | undefined;
}

/** A chunk that was announced by a session that has ended, and that nothing refers to. */
export interface AbandonedChunk {
  readonly accountId: string;
  readonly id: number;
  /** 64 hex digits. */
  readonly digest: string;
}

export interface NeededChunk {
  readonly id: number;
  readonly digest: string;
  readonly size: number;
}

export interface ChunkStore {
  /** The rows of these digests, made where there are none, in their order. Each is 32 bytes. */
  resolve(accountNumber: number, digests: readonly Buffer[]): Promise<readonly ChunkRow[]>;
  /** In their order; nothing where a digest is unknown to the account. */
  find(accountNumber: number, digests: readonly Buffer[]): Promise<readonly (ChunkRow | undefined)[]>;
  /** Adds to what the session has to upload, in this order; each only once. */
  need(session: BackupSession, chunks: readonly { readonly id: number; readonly size: number }[]): Promise<void>;
  /** What the session has to upload, from the one behind `after` (0 to begin with; an `ordinal`). */
  needed(
    session: BackupSession,
    after: number,
    limit: number,
  ): Promise<readonly (NeededChunk & { readonly ordinal: number })[]>;
  /**
   * For each digest, in their order: the chunk as the session has to upload it, or nothing where it has not.
   *
   * @param order whether the questions come in about the order in which `needed` told the chunks, call after call
   */
  findNeeded(
    session: Pick<BackupSession, 'number' | 'accountId'>,
    digests: readonly Buffer[],
    order: 'as-needed' | 'any',
  ): Promise<readonly ((NeededChunk & { readonly stored: boolean }) | undefined)[]>;
  /**
   * For each digest, in their order, the chunk as it is stored, or as the waiting session has to upload it from now on.
   * Nothing where the session does not wait for its manifest any more.
   */
  needEarly(
    session: Pick<BackupSession, 'number'>,
    chunks: readonly { readonly digest: Buffer; readonly size: number }[],
  ): Promise<readonly (NeededChunk & { readonly stored: boolean })[] | undefined>;
  /** A page of what the session of that number has to upload, behind an ordinal; `last` is that of the page's last. */
  announced(session: number, after: number): Promise<{ readonly ids: readonly number[]; readonly last: number }>;
  /** Their blobs are on disk. `size` counts plaintext bytes. */
  markStored(chunks: readonly { readonly id: number; readonly size: number }[]): Promise<void>;
  /** Their blobs have turned out to be gone. */
  markLost(ids: readonly number[]): Promise<void>;
  lost(accountNumber: number): Promise<readonly number[]>;
}

export interface RestoreSession {
  readonly id: string;
  readonly accountId: string;
  readonly deviceId: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly deviceName: string;
  readonly sequence: number;
  readonly restorePoint: number;
  readonly path: string;
  readonly recursive: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Known when the manifest was sent to its end. */
  readonly totals: { readonly files: number; readonly bytes: number } | undefined;
  readonly completedAt: number | undefined;
}

export interface RestoreStore {
  create(session: NewRestoreSession): Promise<RestoreSession>;
  find(id: string): Promise<RestoreSession | undefined>;
  /** The manifest has been sent to its end. */
  started(id: string, totals: { files: number; bytes: number }, event: EmittedEvent, now: number): Promise<void>;
  /** Every chunk has been handed out; does nothing the second time. */
  completed(id: string, event: EmittedEvent, now: number): Promise<void>;
  /** It goes on. */
  prolong(id: string, expiresAt: number): Promise<void>;
  /** Drops the expired. */
  prune(now: number): Promise<void>;
}

export type NewRestoreSession = Omit<RestoreSession, 'id' | 'totals' | 'completedAt'>;
