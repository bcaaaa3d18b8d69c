import type { RetentionPolicy } from '../../protocol/retention.ts';
import type { VersionKey, VersionSpan } from '../backup/store/version-span.ts';

export interface RetentionSettings {
  readonly policy: RetentionPolicy | undefined;
  /** The newest restore point when the policy was set. */
  readonly policySince: number | undefined;
  /** Days for which a restore point is kept at least, by the set and by the account. */
  readonly setMinimumDays: number;
  readonly accountMinimumDays: number;
  /** The time since which no data of the account is removed. */
  readonly heldAt: number | undefined;
}

export interface StoredPoint {
  /** The number of the session that created it. */
  readonly session: number;
  readonly sequence: number;
  readonly backupId: string;
  readonly restorePoint: number;
  /** The service's time. */
  readonly completedAt: number;
  readonly pinned: boolean;
  readonly files: number;
  /** True if an unfinished session is relative to it, or a restore of it is in progress. */
  readonly inUse: boolean;
}

/** Any run of the account, even if its restore point was removed. */
export interface StoredRun {
  readonly sequence: number;
  readonly restorePoint: number;
}

export interface RetentionFacts {
  readonly settings: RetentionSettings;
  readonly points: readonly StoredPoint[];
  readonly runs: readonly StoredRun[];
}

export interface SetReference {
  readonly accountId: string;
  readonly setNumber: number;
}

/** What a restore point contained when it was made. */
export interface PointTotals {
  readonly sequence: number;
  readonly files: number;
  readonly bytes: number;
}

/** Retention rules, and the removal of restore points. Times are milliseconds since the epoch. */
export interface RetentionStore {
  facts(set: SetReference, now: number): Promise<RetentionFacts>;
  /** Sets a policy that counts as applied now: its effect can be reviewed for a day before it removes anything. */
  setPolicy(setNumber: number, policy: RetentionPolicy | undefined, now: number): Promise<void>;
  /** Extends the minimum; a shorter one changes nothing. Returns the effective one. */
  lengthen(scope: { readonly accountId: string } | { readonly setNumber: number }, days: number): Promise<number>;
  /** Prevents removals in the account from now on. */
  hold(accountId: string, now: number): Promise<void>;
  /** Allows removals again; returns false if they were allowed. */
  release(accountId: string): Promise<boolean>;
  isHeld(accountId: string): Promise<boolean>;
  /** Returns when the hold began; `undefined` without one. */
  heldSince(accountId: string): Promise<number | undefined>;
  /** Returns false if the restore point was already pinned (or unpinned), or is gone. */
  pin(session: number, now: number): Promise<boolean>;
  unpin(session: number): Promise<boolean>;
  /**
   * Removes restore points in one transaction with the facts by which they are chosen. `choose` returns session numbers and is
   * pure. Versions of files stay until `deleteVersions`.
   */
  remove(
    set: SetReference,
    now: number,
    choose: (facts: RetentionFacts) => readonly number[],
  ): Promise<readonly number[]>;
  /** Returns the sets with a policy that was last applied before `before`. */
  due(before: number): Promise<readonly SetReference[]>;
  applied(setNumber: number, now: number): Promise<void>;
  setsOf(accountId: string): Promise<readonly number[]>;
  accounts(): Promise<readonly { readonly id: string; readonly number: number }[]>;
  /** Resolves when every session that began before this call is visible with its base. */
  settle(setNumber: number): Promise<void>;
  /** Returns the sequences, ascending, of the set's restore points and of removed ones that unfinished sessions are relative to. */
  sequences(setNumber: number): Promise<readonly number[]>;
  /** Returns removed sessions of a set whose versions are not deleted, and that no unfinished session is relative to. */
  uncleared(setNumber: number): Promise<readonly number[]>;
  /** Returns the sets with such sessions. */
  unclearedSets(): Promise<readonly SetReference[]>;
  /** Returns versions after `after`, in the order of their paths. */
  versions(setNumber: number, after: VersionKey | undefined, limit: number): Promise<readonly VersionSpan[]>;
  /** Returns the totals of a set's restore points, in the order of their sequences. */
  totals(setNumber: number): Promise<readonly PointTotals[]>;
  /** Returns the digests of chunks by their ids; chunks that do not exist are missing. */
  digests(chunkIds: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;
  /**
   * Checks the structure of the database, and that all versions belong to a set of an account.
   *
   * @returns the problem, or `undefined` if there is none
   */
  structureProblem(): Promise<string | undefined>;
  /** Returns the bytes of the chunks' blobs, by chunk id; chunks that are not stored are missing. */
  blobSizes(chunkIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Returns the set's removed sessions with versions that other restore points need, and the bytes of these when they were last counted. */
  removedTrees(setNumber: number): Promise<readonly { readonly session: number; readonly treeBytes: number }[]>;
  setTreeBytes(session: number, treeBytes: number): Promise<void>;
  deleteVersions(setNumber: number, versions: readonly VersionKey[]): Promise<void>;
  cleared(sessions: readonly number[]): Promise<void>;
}
