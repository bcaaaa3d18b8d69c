import type { AccountStore } from './accounts/accounts.ts';
import type { MemberStore } from './accounts/members.ts';
import type { PasskeyStore } from './accounts/passkeys.ts';
import type { PasswordResetStore } from './accounts/password-resets.ts';
import type { QuotaStore } from './accounts/quotas.ts';
import type { SecondFactorStore } from './accounts/second-factors.ts';
import type { SignInStore } from './accounts/sign-ins.ts';
import type { TokenStore } from './accounts/tokens.ts';
import type { AlarmStore } from './alarms/alarms.ts';
import type { AuditStore, NewAuditEntry } from './audit/audit.ts';
import type { ArrivalStore } from './backup/arrivals.ts';
import type { ChunkStore } from './backup/chunk-store.ts';
import type { SessionStore } from './backup/session-store.ts';
import type { TreeStore } from './backup/tree-store.ts';
import type { CollectionStore } from './collection/collection.ts';
import type { AccountKeyStore } from './devices/account-keys.ts';
import type { DeviceActivityStore } from './devices/device-activity.ts';
import type { DeviceRunStore } from './devices/device-runs.ts';
import type { DeviceStore } from './devices/devices.ts';
import type { PlanStore } from './plans/plans.ts';
import type { ErasureStore } from './erasure/erasure-store.ts';
import type { RestoreStore } from './restores/restores.ts';
import type { RetentionStore } from './retention/retention-store.ts';
import type { FiguresStore } from './usage/figures.ts';
import type { UsageStore } from './usage/usage.ts';
import type { WebhookOutbox } from './webhooks/outbox.ts';
import type { WebhookStore } from './webhooks/webhooks.ts';

/**
 * Everything that the service stores except for the blobs. Times are milliseconds since the epoch. Each method is one
 * transaction; methods that concern thousands of rows take or return them in batches. An `event` is recorded in the
 * transaction of the fact that it reports.
 */
export interface MetadataStore {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly quotas: QuotaStore;
  readonly passwordResets: PasswordResetStore;
  readonly secondFactors: SecondFactorStore;
  readonly passkeys: PasskeyStore;
  readonly signIns: SignInStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly devices: DeviceStore;
  readonly deviceActivity: DeviceActivityStore;
  readonly accountKeys: AccountKeyStore;
  readonly deviceRuns: DeviceRunStore;
  readonly sessions: SessionStore;
  readonly trees: TreeStore;
  readonly chunks: ChunkStore;
  readonly arrivals: ArrivalStore;
  readonly restores: RestoreStore;
  readonly retention: RetentionStore;
  readonly collection: CollectionStore;
  readonly erasures: ErasureStore;
  readonly plans: PlanStore;
  readonly alarms: AlarmStore;
  readonly usage: UsageStore;
  readonly figures: FiguresStore;
  readonly webhooks: WebhookStore;
  readonly outbox: WebhookOutbox;
  /**
   * Returns stores for one change that is recorded in the audit log: the entry is added in the transaction of the change, so
   * that both are committed or neither is.
   *
   * @param isChange whether a transaction's result means that something changed; without a change no entry is added. By default
   *   everything but `false` does
   */
  audited(entry: NewAuditEntry, isChange?: (result: unknown) => boolean): AuditedStores;
  /** Returns a random value of `bytes` bytes that the store generates on the first call. */
  secret(name: string, bytes: number): Promise<Buffer>;
  /** Returns a stored value. */
  findSecret(name: string): Promise<Buffer | undefined>;
  /** Stores a value in the place of any other. */
  replaceSecret(name: string, value: Buffer): Promise<void>;
  /** Identifies the database and the cluster that it is in; `undefined` for a file. */
  place(): Promise<string | undefined>;
  /** Stores a value under a name that has none; returns the stored value. */
  claimSecret(name: string, value: Buffer): Promise<Buffer>;
  /**
   * Runs `work` unless another process is running something under this name; then returns `undefined`. The name is released
   * when a process dies.
   */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined>;
  close(): Promise<void>;
}

export type AuditedStores = Pick<MetadataStore, 'retention' | 'plans' | 'webhooks'>;
