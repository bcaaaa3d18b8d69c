import type { NewAuditEntry } from '../audit/audit-store.ts';

export const ERASURE_SCOPES = ['set', 'device', 'member', 'account'] as const;
export type ErasureScope = (typeof ERASURE_SCOPES)[number];

/** What is erased, by identifiers only. */
export interface ErasureTarget {
  readonly accountId: string;
  readonly scope: ErasureScope;
  /** The number of the set, or the id of the device, member or account. */
  readonly target: string;
}

export interface Erasure extends ErasureTarget {
  readonly id: string;
  /** The user's id; `undefined` for the operator. */
  readonly requestedBy: string | undefined;
  readonly requestedAt: number;
  /** Nothing is erased before. */
  readonly dueAt: number;
  readonly erasedAt: number | undefined;
}

/** The sets and devices that belong to an erasure's target at present. */
export interface ErasedParts {
  readonly devices: readonly string[];
  readonly sets: readonly number[];
}

/** The name of a set with its device. */
export interface NamedSet {
  readonly number: number;
  readonly deviceId: string;
  readonly name: string;
}

/** Erasures, and the deletion of what they name. Times are milliseconds since the epoch. */
export interface ErasureStore {
  /** Returns false if the erasure of that target is already requested. */
  request(erasure: Erasure, audit: NewAuditEntry): Promise<boolean>;
  /** Returns the account's erasures, newest first, including performed ones. */
  list(accountId: string): Promise<readonly Erasure[]>;
  /** Returns false if there is no such erasure, or it was performed. */
  cancel(accountId: string, id: string, audit: NewAuditEntry): Promise<boolean>;
  /** Returns the erasures of all accounts that are due and not performed, the oldest first. */
  due(now: number): Promise<readonly Erasure[]>;
  /** Returns when a set is erased, by itself or with its device, member or account; `undefined` if it is not. */
  dueAtOf(set: { accountId: string; deviceId: string; setName: string }): Promise<number | undefined>;
  partsOf(target: ErasureTarget): Promise<ErasedParts>;
  /** Returns the sets with these numbers. */
  sets(numbers: readonly number[]): Promise<readonly NamedSet[]>;
  /** Returns the longest minimum retention, in days, of the account and any of its sets. */
  longestMinimum(accountId: string): Promise<number>;
  /** Returns the numbers of the sets' sessions that have not ended. */
  unfinished(setNumbers: readonly number[]): Promise<readonly number[]>;
  /** Returns whether a session of these sets has not ended, is not swept, or ended after `time`. */
  isSettling(setNumbers: readonly number[], time: number): Promise<boolean>;
  /** Deletes a bounded number of versions of a set's files; returns false once none is left. */
  deleteVersions(setNumber: number): Promise<boolean>;
  /** Deletes a set without versions: its runs, rules, alarms and restores. Removes its name from the audit log. */
  deleteSet(setNumber: number): Promise<void>;
  /** Deletes a device without sets. Removes its names and addresses from the audit log. */
  deleteDevice(deviceId: string): Promise<void>;
  /** Deletes a user, and the addresses and e-mail address that are left of one who was removed before. */
  deleteMember(accountId: string, userId: string): Promise<void>;
  /** Deletes everything that is left of an account without devices, except for its identifiers and its chunks. */
  deleteAccount(accountId: string, now: number): Promise<void>;
  /**
   * Deletes a bounded number of an account's webhook deliveries whose body names something erased. Returns the id to continue
   * after; `undefined` at the end.
   */
  deleteDeliveries(accountId: string, erased: ErasedNames, after: string): Promise<string | undefined>;
  /** Records that an erasure was performed. */
  finish(id: string, now: number, audit: NewAuditEntry): Promise<void>;
}

/** Identifiers and names of what is erased, as the bodies of deliveries contain them. */
export interface ErasedNames {
  readonly devices: readonly string[];
  readonly sets: readonly NamedSet[];
  readonly members: readonly string[];
}
