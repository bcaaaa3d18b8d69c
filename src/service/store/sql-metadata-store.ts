import { createAccountStore } from './accounts/accounts.ts';
import { createMemberStore } from './accounts/members.ts';
import { createPasskeyStore } from './accounts/passkeys.ts';
import { createPasswordResetStore } from './accounts/password-resets.ts';
import { createQuotaStore } from './accounts/quotas.ts';
import { createSecondFactorStore } from './accounts/second-factors.ts';
import { claimSecret, findOrCreateSecret, findSecret, replaceSecret } from './accounts/secrets.ts';
import { createSignInStore } from './accounts/sign-ins.ts';
import { createTokenStore } from './accounts/tokens.ts';
import { createAlarmStore } from './alarms/alarms.ts';
import { createAuditStore } from './audit/audit.ts';
import { auditedDatabase } from './audit/audited-database.ts';
import { createArrivalStore } from './backup/arrivals.ts';
import type { ChunkStore } from './backup/chunk-store.ts';
import type { SessionTrees } from './backup/session-trees.ts';
import { createSessionStore } from './backup/sessions.ts';
import type { TreeStore } from './backup/tree-store.ts';
import { createCollectionStore } from './collection/collection.ts';
import type { SqlDatabase } from './database/sql-database.ts';
import { createAccountKeyStore } from './devices/account-keys.ts';
import { createDeviceActivityStore } from './devices/device-activity.ts';
import { createDeviceRunStore } from './devices/device-runs.ts';
import { createDeviceStore } from './devices/devices.ts';
import { createErasureStore } from './erasure/erasures.ts';
import type { MetadataStore } from './metadata-store.ts';
import { createPlanStore } from './plans/plans.ts';
import { createRestoreStore } from './restores/restores.ts';
import { createRetentionStore } from './retention/retention.ts';
import { createFiguresStore } from './usage/figures.ts';
import { createUsageStore } from './usage/usage.ts';
import { SqlWebhookOutbox } from './webhooks/outbox.ts';
import { createWebhookStore } from './webhooks/webhooks.ts';

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
