import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { openPostgresDatabase } from '../../../src/service/database/postgres/postgres-database.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { openSqliteDatabase } from '../../../src/service/database/sqlite/sqlite-database.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';

export type OpenDatabase = (onEvents?: () => void) => Promise<SqlDatabase>;

/**
 * Runs the same tests with SQLite and PostgreSQL, for queries that are written once for both.
 *
 * @param tests `open` creates an empty database with its tables, which is closed after the test
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
  const database = openSqliteDatabase(join(await temporaryDirectory(), 'metadata.sqlite'), onEvents);
  onTestFinished(() => database.close());
  return database;
};

const openPostgres: OpenDatabase = async (onEvents) => {
  const database = await openPostgresDatabase(await postgresDatabase(), onEvents);
  onTestFinished(() => database.close());
  return database;
};
