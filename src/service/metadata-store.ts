import type { AccountStore } from './auth/account-store.ts';
import type { MemberStore } from './auth/member-store.ts';
import type { PasskeyStore } from './auth/factors/passkey-store.ts';
import type { PasswordResetStore } from './auth/passwords/password-reset-store.ts';
import type { QuotaStore } from './backup/store/quota-store.ts';
import type { SecondFactorStore } from './auth/factors/second-factor-store.ts';
import type { SignInStore } from './auth/tokens/sign-in-store.ts';
import type { TokenStore } from './auth/tokens/token-store.ts';
import type { AlarmStore } from './alarms/alarm-store.ts';
import type { AuditStore, NewAuditEntry } from './audit/audit-store.ts';
import type { ArrivalStore } from './backup/store/arrival-store.ts';
import type { ChunkStore } from './backup/store/chunk-store.ts';
import type { SessionStore } from './backup/store/session.ts';
import type { TreeStore } from './backup/store/tree-store.ts';
import type { CollectionStore } from './retention/collection-store.ts';
import type { AccountKeyStore } from './devices/account-key-store.ts';
import type { DeviceActivityStore } from './devices/device-activity-store.ts';
import type { DeviceRunStore } from './usage/device-run-store.ts';
import type { DeviceStore } from './devices/device-store.ts';
import type { PlanStore } from './billing/plan-store.ts';
import type { ErasureStore } from './erasure/erased-parts.ts';
import type { RestoreStore } from './restore/restore-store.ts';
import type { RetentionStore } from './retention/retention-facts.ts';
import type { FiguresStore } from './usage/figures-store.ts';
import type { UsageStore } from './usage/usage-store.ts';
import type { WebhookOutbox } from './webhooks/outbox.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

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
