import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresDatabase } from '../../../../src/service/database/postgres/postgres-database.ts';
import { openSqliteConnection } from '../../../../src/service/database/sqlite/sqlite-connection.ts';
import { NewerSchemaError, SCHEMA_VERSION } from '../../../../src/service/database/schema/schema.ts';
import { emptyPostgresDatabase } from '../../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';

test('SQLite: refuses a newer schema and leaves it unchanged', async () => {
  const file = join(await temporaryDirectory(), 'metadata.sqlite');
  const database = new BetterSqlite(file);
  onTestFinished(() => void database.close());
  database.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  expect(() => openSqliteConnection(file)).toThrow(NewerSchemaError);
  expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
});

test('SQLite: opens a database with tables again', async () => {
  const file = join(await temporaryDirectory(), 'metadata.sqlite');
  openSqliteConnection(file).close();
  const database = openSqliteConnection(file);
  onTestFinished(() => void database.close());
  expect(database.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
});

test('PostgreSQL: refuses a newer schema', async () => {
  const url = await emptyPostgresDatabase();
  const database = await openPostgresDatabase(url);
  await database.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('UPDATE schema_version SET version = version + 1');
  await expect(openPostgresDatabase(url)).rejects.toThrow(NewerSchemaError);
});
