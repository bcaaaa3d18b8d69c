import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { openPostgresDatabase } from '../../src/service/store/database/postgres-database.ts';
import type { SqlDatabase } from '../../src/service/store/database/sql-database.ts';
import { openSqliteMetadataStore } from '../../src/service/store/sqlite-metadata-store.ts';
import { postgresDatabase } from '../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../service/harness.ts';

export type OpenDatabase = (onEvents?: () => void) => Promise<SqlDatabase>;

/**
 * The same tests over SQLite and PostgreSQL, for whatever is written once for both.
 *
 * @param tests `open` makes an empty database with the newest schema, closed again when the test is over
 */
export function describeOnEveryDatabase(name: string, tests: (open: OpenDatabase) => void): void {
  describe(`${name}: SQLite`, () => {
    tests(openSqlite);
  });
  describe(`${name}: PostgreSQL`, () => {
    tests(openPostgres);
  });
}

const openSqlite: OpenDatabase = async (onEvents) => {
  const store = openSqliteMetadataStore(join(await temporaryDirectory(), 'metadata.sqlite'), onEvents);
  onTestFinished(() => store.close());
  return store.sql;
};

const openPostgres: OpenDatabase = async (onEvents = () => undefined) => {
  const database = await openPostgresDatabase(await postgresDatabase(), onEvents);
  onTestFinished(() => database.close());
  return database;
};
