import type { Database } from 'better-sqlite3';
import { accountsAndTrees } from './migrations/0001-accounts-and-trees.ts';
import { waitingSessions } from './migrations/0002-waiting-sessions.ts';

/** One step of the schema. A step that was ever released is never edited: the next change is a new step. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** In the order in which they are applied; `number` counts from 1 without gaps. */
export const MIGRATIONS: readonly Migration[] = [accountsAndTrees, waitingSessions];

/** The database was written by a newer Holdfast than this one. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/**
 * Brings a database to the newest schema, each step in a transaction of its own with `user_version` as its mark, so
 * that two processes which open it together apply each step once.
 */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.length;
  if (versionOf(database) > newest) throw new NewerSchemaError(`schema ${versionOf(database)} is newer than ${newest}`);
  for (const migration of migrations) {
    if (versionOf(database) >= migration.number) continue;
    const apply = database.transaction(() => {
      if (versionOf(database) >= migration.number) return;
      database.exec(migration.sql);
      database.pragma(`user_version = ${migration.number}`);
    });
    apply.immediate();
  }
}

function versionOf(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}
