import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { sharedResource } from '../shared/shared-resource.ts';
import { openPostgresDatabase } from '../../../src/service/database/postgres/postgres-database.ts';

let migrated: Promise<string> | undefined;

/**
 * Returns the address of a new database of a real PostgreSQL, with the newest schema and no rows. It is removed with the
 * server at the end of the test run.
 */
export async function postgresDatabase(): Promise<string> {
  migrated ??= makeTemplate();
  return createDatabase(await migrated);
}

/** Returns the address of a database without a schema. */
export function emptyPostgresDatabase(): Promise<string> {
  return createDatabase('template1');
}

async function makeTemplate(): Promise<string> {
  const url = await emptyPostgresDatabase();
  const database = await openPostgresDatabase(url, () => undefined);
  await database.close();
  return new URL(url).pathname.slice(1);
}

async function createDatabase(template: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(await sharedResource('postgres'));
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}
