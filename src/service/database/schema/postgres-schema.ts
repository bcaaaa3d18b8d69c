import type { ClientBase, Pool } from 'pg';
import { requireKnownSchema, SCHEMA_VERSION, schemaSql } from './schema.ts';

/** The table of one row with the schema's version. */
const VERSION_TABLE = 'schema_version';

/** The advisory lock held while the tables are created; any number that nobody else locks in this database. */
const SCHEMA_LOCK = 4_857_201_133;

/**
 * Creates the tables of a new database, in one transaction. Processes that start together take turns.
 *
 * @throws NewerSchemaError
 */
export async function createPostgresSchema(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let done = false;
  try {
    await client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]);
    const version = await postgresSchemaVersion(client);
    requireKnownSchema(version);
    if (version === 0) {
      await client.query('BEGIN');
      await client.query(schemaSql('postgres'));
      await client.query(`CREATE TABLE ${VERSION_TABLE} (version INTEGER NOT NULL)`);
      await client.query(`INSERT INTO ${VERSION_TABLE} (version) VALUES (${SCHEMA_VERSION})`);
      await client.query('COMMIT');
    }
    await client.query('SELECT pg_advisory_unlock($1)', [SCHEMA_LOCK]);
    done = true;
  } finally {
    // Closing the connection ends its transaction and its lock.
    client.release(!done);
  }
}

/** Returns 0 for a database without tables. */
export async function postgresSchemaVersion(client: Pick<ClientBase, 'query'>): Promise<number> {
  const found = await client.query<{ exists: boolean }>(`SELECT to_regclass('${VERSION_TABLE}') IS NOT NULL AS exists`);
  if (!found.rows[0]!.exists) return 0;
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${VERSION_TABLE}`);
  return rows[0]?.version ?? 0;
}
