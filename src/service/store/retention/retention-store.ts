import type { RetentionPolicy } from '../../../protocol/retention.ts';

export interface RetentionSettings {
  readonly policy: RetentionPolicy | undefined;
  /** Days that a restore point has to have before it may go, by the set and by the account. */
  readonly setMinimumDays: number;
  readonly accountMinimumDays: number;
  /** Since when nothing of the account is removed. */
  readonly heldAt: number | undefined;
}

/** A restore point of a set. */
export interface StoredPoint {
  /** The number of the session that made it. */
  readonly session: number;
  readonly sequence: number;
  readonly backupId: string;
  readonly restorePoint: number;
  readonly pinned: boolean;
  /** Whether a session that has not ended is relative to it, or a restore of it goes on. */
  readonly inUse: boolean;
}

/** Any run of the account, whether it still is a restore point or not. */
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

/** A version of a file with the sequences between which it was there. */
export interface VersionSpan {
  readonly pathKey: string;
  /** The session that brought it. */
  readonly validFrom: number;
  /** Nothing while that session is not completed. */
  readonly from: number | undefined;
  /** Of the run that ended it. */
  readonly to: number | undefined;
  readonly chunks: Buffer;
}

export interface VersionPlace {
  readonly pathKey: string;
  readonly validFrom: number;
}

/** What people decided about restore points, and the removal of these. Times are milliseconds since the epoch. */
export interface RetentionStore {
  facts(set: SetReference, now: number): Promise<RetentionFacts>;
  /** It counts as applied now: whoever set it has a day to look at what it will do. */
  setPolicy(setNumber: number, policy: RetentionPolicy | undefined, now: number): Promise<void>;
  /** Makes the minimum longer; a shorter one than there is changes nothing, whoever asks. Answers the one in force. */
  lengthen(scope: { readonly accountId: string } | { readonly setNumber: number }, days: number): Promise<number>;
  /** From now on nothing of the account is removed. */
  hold(accountId: string, now: number): Promise<void>;
  /** False where nothing was held. */
  release(accountId: string): Promise<boolean>;
  isHeld(accountId: string): Promise<boolean>;
  /** False where it was so before, or the restore point is gone; `unpin` where it was so before. */
  pin(session: number, now: number): Promise<boolean>;
  unpin(session: number): Promise<boolean>;
  /**
   * Takes restore points away, in one transaction with the facts by which they are chosen. `choose` answers sessions and is
   * pure. Versions of files stay until they are cleared.
   */
  remove(
    set: SetReference,
    now: number,
    choose: (facts: RetentionFacts) => readonly number[],
  ): Promise<readonly number[]>;
  /** Sets with a policy that was last applied before `before`. */
  due(before: number): Promise<readonly SetReference[]>;
  applied(setNumber: number, now: number): Promise<void>;
  setsOf(accountId: string): Promise<readonly number[]>;
  accounts(): Promise<readonly { readonly id: string; readonly number: number }[]>;
  /** Resolves when every session that began before is seen with its base. */
  settle(setNumber: number): Promise<void>;
  /** Of the set's restore points, and of removed ones that sessions under way are relative to; in ascending order. */
  sequences(setNumber: number): Promise<readonly number[]>;
  /** Removed sessions of a set whose versions are not cleared, and that no session under way is relative to. */
  uncleared(setNumber: number): Promise<readonly number[]>;
  /** Sets with such. */
  unclearedSets(): Promise<readonly SetReference[]>;
  /** In the order of their paths, from the one behind `after`. */
  versions(setNumber: number, after: VersionPlace | undefined, limit: number): Promise<readonly VersionSpan[]>;
  deleteVersions(setNumber: number, versions: readonly VersionPlace[]): Promise<void>;
  cleared(sessions: readonly number[]): Promise<void>;
}
