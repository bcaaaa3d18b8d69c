import type { Pool, PoolClient } from 'pg';
import { COLUMN_TYPES, MIGRATION_TABLE, pendingMigrations } from './migration.ts';
import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';

/** Held while a process changes the schema; any number that nobody else locks in this database. */
const SCHEMA_LOCK = 4_857_201_133;

/**
 * Brings a database to the newest schema, each step in a transaction of its own. Processes that start together take turns;
 * throws `NewerSchemaError`.
 */
export async function migratePostgres(pool: Pool, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const client = await pool.connect();
  let done = false;
  try {
    await client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]);
    await client.query(MIGRATION_TABLE);
    const applied = await client.query<{ number: number }>('SELECT number FROM migration');
    const numbers = applied.rows.map(({ number }) => number);
    for (const migration of pendingMigrations(migrations, numbers)) await apply(client, migration);
    await client.query('SELECT pg_advisory_unlock($1)', [SCHEMA_LOCK]);
    done = true;
  } finally {
    // With the connection its transaction and its lock end.
    client.release(!done);
  }
}

async function apply(client: PoolClient, { number, name, sql }: Migration): Promise<void> {
  await client.query('BEGIN');
  await client.query(sql(COLUMN_TYPES.postgres));
  await client.query('INSERT INTO migration (number, name) VALUES ($1, $2)', [number, name]);
  await client.query('COMMIT');
}
