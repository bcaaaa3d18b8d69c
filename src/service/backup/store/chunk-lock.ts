import { sql } from 'kysely';
import type { SqlTransaction } from '../../database/sql-database.ts';

/**
 * Prevents other transactions from announcing, storing or losing chunks until this one ends. It comes first in a transaction
 * that deletes unannounced chunks: otherwise PostgreSQL could miss an announcement that was committed a moment ago. SQLite
 * allows only one writing transaction anyway.
 */
export async function lockChunks({ dialect, queries }: SqlTransaction): Promise<void> {
  if (dialect === 'postgres') await sql`LOCK TABLE chunk IN SHARE ROW EXCLUSIVE MODE`.execute(queries);
}
