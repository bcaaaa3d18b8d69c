import { sql } from 'kysely';
import type { SqlTransaction } from '../database/sql-database.ts';

/**
 * Until the transaction ends nobody announces chunks, brings or loses one. It comes first in a transaction that removes
 * chunks which nobody announced: otherwise PostgreSQL would show it the announcements of a moment ago. SQLite lets one
 * transaction write at a time anyway.
 */
export async function keepChunksStill({ dialect, queries }: SqlTransaction): Promise<void> {
  if (dialect === 'postgres') await sql`LOCK TABLE chunk IN SHARE ROW EXCLUSIVE MODE`.execute(queries);
}
