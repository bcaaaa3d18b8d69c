import type { NewAuditEntry } from '../store/audit-store.ts';
import { auditedDatabase } from '../store/sql/audited-database.ts';
import type { SqlDatabase } from '../store/sql/sql-database.ts';
import { createSqlWebhookStore } from '../store/sql/webhooks.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** The store for one change of a webhook, which is kept together with the audit entry that tells it. */
export function notedWebhooks(database: SqlDatabase, entry: NewAuditEntry): WebhookStore {
  return createSqlWebhookStore(auditedDatabase(database, entry));
}
