/** What was backed up on one day (UTC). */
export interface UsageDay {
  /** Days since the epoch. */
  readonly day: number;
  readonly runs: number;
  /** Plaintext bytes of all files of that day's runs. */
  readonly bytes: number;
  /** Of these, those that the service did not have. */
  readonly bytesNew: number;
  /** Bytes of the account's blobs after the last of them. */
  readonly storageUsed: number;
}

/** A backup set with its newest restore point. Times are milliseconds since the epoch. */
export interface BackupSetSummary {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
  readonly restorePoints: number;
  readonly lastRestorePoint: number | undefined;
  readonly files: number;
  readonly bytes: number;
}

/** An account's use as its people look at it. */
export interface UsageStore {
  /** Oldest first; days on which nothing was backed up are left out. */
  days(accountId: string, since: number): Promise<readonly UsageDay[]>;
  /** Sets of all devices, the revoked included: what these backed up stays. In the order of device and name. */
  sets(accountId: string): Promise<readonly BackupSetSummary[]>;
}
