import type { NewAuditEntry } from './audit-store.ts';
import { addAuditEntry } from './audit.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

/**
 * The same database, for one change by a store: its transaction keeps the entry too, or neither is kept.
 *
 * @param isChange whether what the transaction answers means that something was changed; else there is no entry
 */
export function auditedDatabase(
  database: SqlDatabase,
  entry: NewAuditEntry,
  isChange: (result: unknown) => boolean = (result) => result !== false,
): SqlDatabase {
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction);
        if (isChange(result)) await addAuditEntry(transaction.queries, entry);
        return result;
      }),
  };
}
