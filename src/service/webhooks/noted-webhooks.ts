import type { NewAuditEntry } from '../store/audit/audit-store.ts';
import { auditedDatabase } from '../store/audit/audited-database.ts';
import type { SqlDatabase } from '../store/database/sql-database.ts';
import { createSqlWebhookStore } from '../store/webhooks/webhooks.ts';
import type { WebhookStore } from '../store/webhooks/webhook-store.ts';

/** The store for one change of a webhook, which is kept together with the audit entry that tells it. */
export function notedWebhooks(database: SqlDatabase, entry: NewAuditEntry): WebhookStore {
  return createSqlWebhookStore(auditedDatabase(database, entry));
}
