import type { Database } from 'better-sqlite3';
import { requireKnownSchema, SCHEMA_VERSION, schemaSql } from './schema.ts';

/**
 * Creates the tables of a new database, in one transaction: of two processes that open it together only one does.
 *
 * @throws NewerSchemaError
 */
export function createSqliteSchema(database: Database): void {
  const isReady = (): boolean => {
    const version = sqliteSchemaVersion(database);
    requireKnownSchema(version);
    return version === SCHEMA_VERSION;
  };
  if (isReady()) return;
  const create = database.transaction(() => {
    if (isReady()) return;
    database.exec(schemaSql('sqlite'));
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  create.immediate();
}

/** Returns 0 for a database without tables. */
export function sqliteSchemaVersion(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}
