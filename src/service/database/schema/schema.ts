import { accountTables } from './account-tables.ts';
import { backupTables } from './backup-tables.ts';
import { COLUMN_TYPES, type SqlDialect } from './column-types.ts';
import { retentionTables } from './retention-tables.ts';
import { eventTables } from './event-tables.ts';

/**
 * The version of the schema that this program creates and reads. It has been 1 from the start; a change of the tables after
 * a release increments it and adds the statements that bring an older database up to date.
 */
export const SCHEMA_VERSION = 1;

/** Returns the statements that create every table of a service, separated by semicolons. */
export function schemaSql(dialect: SqlDialect): string {
  const types = COLUMN_TYPES[dialect];
  return [accountTables, backupTables, retentionTables, eventTables].map((tables) => tables(types)).join('\n');
}

/** The database was written by a newer version of Holdfast. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** @throws NewerSchemaError */
export function requireKnownSchema(version: number): void {
  if (version > SCHEMA_VERSION) throw new NewerSchemaError(`schema ${version} is newer than ${SCHEMA_VERSION}`);
}
