import type { RetentionPolicy } from '../../protocol/retention.ts';

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
