import { createAccountStore } from './auth/account-store.ts';
import { createMemberStore } from './auth/member-store.ts';
import { createPasskeyStore } from './auth/factors/passkey-store.ts';
import { createPasswordResetStore } from './auth/passwords/password-reset-store.ts';
import { createQuotaStore } from './backup/store/quota-store.ts';
import { createSecondFactorStore } from './auth/factors/second-factor-store.ts';
import { claimSecret, findOrCreateSecret, findSecret, replaceSecret } from './database/secrets.ts';
import { createSignInStore } from './auth/tokens/sign-in-store.ts';
import { createTokenStore } from './auth/tokens/token-store.ts';
import { createAlarmStore } from './alarms/alarm-store.ts';
import { type NewAuditEntry, createAuditStore } from './audit/audit-store.ts';
import { auditedDatabase } from './audit/audited-database.ts';
import { createArrivalStore } from './backup/store/arrival-store.ts';
import type { ChunkStore } from './backup/store/chunk-store.ts';
import type { SessionTrees } from './backup/store/session-trees.ts';
import { createSessionStore } from './backup/store/session-store.ts';
import type { TreeStore } from './backup/store/tree-store.ts';
import { createCollectionStore } from './retention/collection-store.ts';
import type { SqlDatabase } from './database/sql-database.ts';
import { createAccountKeyStore } from './devices/account-key-store.ts';
import { createDeviceActivityStore } from './devices/device-activity-store.ts';
import { createDeviceRunStore } from './usage/device-run-store.ts';
import { createDeviceStore } from './devices/device-store.ts';
import { createErasureStore } from './erasure/erasure-store.ts';
import { createPlanStore } from './billing/plan-store.ts';
import { createRestoreStore } from './restore/restore-store.ts';
import { createRetentionStore } from './retention/retention-store.ts';
import { createFiguresStore } from './usage/figures-store.ts';
import { createUsageStore } from './usage/usage-store.ts';
import { WebhookOutbox } from './webhooks/outbox.ts';
import { createWebhookStore } from './webhooks/webhook-store.ts';

/** The stores that each database implements by itself, since they process as many rows as a manifest has files. */
export interface LargeStores {
  readonly trees: TreeStore;
  readonly chunks: ChunkStore;
  readonly sessionTrees: SessionTrees;
}

export type MetadataStore = ReturnType<typeof createMetadataStore>;

/**
 * Everything that the service stores except for the blobs. Times are milliseconds since the epoch. Each method is one
 * transaction; methods that concern thousands of rows take or return them in batches. An `event` is recorded in the
 * transaction of the fact that it reports.
 */
export function createMetadataStore(database: SqlDatabase, { trees, chunks, sessionTrees }: LargeStores) {
  return {
    accounts: createAccountStore(database),
    members: createMemberStore(database),
    quotas: createQuotaStore(database),
    passwordResets: createPasswordResetStore(database),
    secondFactors: createSecondFactorStore(database),
    passkeys: createPasskeyStore(database),
    signIns: createSignInStore(database),
    tokens: createTokenStore(database),
    audit: createAuditStore(database),
    devices: createDeviceStore(database),
    deviceActivity: createDeviceActivityStore(database),
    accountKeys: createAccountKeyStore(database),
    deviceRuns: createDeviceRunStore(database),
    sessions: createSessionStore(database, sessionTrees),
    trees,
    chunks,
    arrivals: createArrivalStore(database),
    restores: createRestoreStore(database),
    retention: createRetentionStore(database),
    collection: createCollectionStore(database),
    erasures: createErasureStore(database),
    plans: createPlanStore(database),
    alarms: createAlarmStore(database),
    usage: createUsageStore(database),
    figures: createFiguresStore(database),
    webhooks: createWebhookStore(database),
    outbox: new WebhookOutbox(database),
    /**
     * Returns stores for one change that is recorded in the audit log: the entry is added in the transaction of the change, so
     * that both are committed or neither is.
     *
     * @param isChange whether a transaction's result means that something changed; without a change no entry is added. By default
     *   everything but `false` does
     */
    audited: (entry: NewAuditEntry, isChange?: (result: unknown) => boolean) => {
      const audited = auditedDatabase(database, entry, isChange);
      return {
        retention: createRetentionStore(audited),
        plans: createPlanStore(audited),
        webhooks: createWebhookStore(audited),
      };
    },
    /** Returns a random value of `bytes` bytes that the store generates on the first call. */
    secret: (name: string, bytes: number): Promise<Buffer> => findOrCreateSecret(database, name, bytes),
    /** Returns a stored value. */
    findSecret: (name: string): Promise<Buffer | undefined> => findSecret(database, name),
    /** Stores a value in the place of any other. */
    replaceSecret: (name: string, value: Buffer): Promise<void> => replaceSecret(database, name, value),
    place: database.place,
    /** Stores a value under a name that has none; returns the stored value. */
    claimSecret: (name: string, value: Buffer): Promise<Buffer> => claimSecret(database, name, value),
    exclusively: database.exclusively,
    close: (): Promise<void> => database.close(),
  };
}
