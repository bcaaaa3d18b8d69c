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
import { createAuditStore } from './audit/audit-store.ts';
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
import type { MetadataStore } from './metadata-store.ts';
import { createPlanStore } from './billing/plan-store.ts';
import { createRestoreStore } from './restore/restore-store.ts';
import { createRetentionStore } from './retention/retention-store.ts';
import { createFiguresStore } from './usage/figures-store.ts';
import { createUsageStore } from './usage/usage-store.ts';
import { SqlWebhookOutbox } from './webhooks/outbox.ts';
import { createWebhookStore } from './webhooks/webhook-store.ts';

/** The stores that each database implements by itself, since they process as many rows as a manifest has files. */
export interface LargeStores {
  readonly trees: TreeStore;
  readonly chunks: ChunkStore;
  readonly sessionTrees: SessionTrees;
}

/** Puts the stores of one database together. */
export function createSqlMetadataStore(
  database: SqlDatabase,
  { trees, chunks, sessionTrees }: LargeStores,
): MetadataStore {
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
    outbox: new SqlWebhookOutbox(database),
    audited: (entry, isChange) => {
      const audited = auditedDatabase(database, entry, isChange);
      return {
        retention: createRetentionStore(audited),
        plans: createPlanStore(audited),
        webhooks: createWebhookStore(audited),
      };
    },
    secret: (name, bytes) => findOrCreateSecret(database, name, bytes),
    findSecret: (name) => findSecret(database, name),
    replaceSecret: (name, value) => replaceSecret(database, name, value),
    place: database.place,
    claimSecret: (name, value) => claimSecret(database, name, value),
    exclusively: database.exclusively,
    close: () => database.close(),
  };
}
