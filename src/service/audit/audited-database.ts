import { type NewAuditEntry, addAuditEntry } from './audit-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

/**
 * Wraps a database for one change by a store: its transaction adds the entry, so that both are committed or neither is.
 *
 * @param isChange whether a transaction's result means that something changed; without a change no entry is added
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
