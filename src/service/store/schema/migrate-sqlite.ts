import type { Database } from 'better-sqlite3';
import { COLUMN_TYPES, MIGRATION_TABLE, NewerSchemaError, pendingMigrations } from './migration.ts';
import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';

export { NewerSchemaError } from './migration.ts';

/**
 * Brings a database to the newest schema, each step in a transaction of its own, so that two processes which open it
 * together apply each step once. `user_version` is the highest step, for versions that know no table of steps.
 */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = Math.max(...migrations.map(({ number }) => number));
  const version = versionOf(database);
  if (version > newest) throw new NewerSchemaError(`schema ${version} is newer than ${newest}`);
  for (const migration of pendingMigrations(migrations, appliedOf(database))) {
    const apply = database.transaction(() => {
      recordVersion(database, migrations);
      if (appliedOf(database).includes(migration.number)) return;
      database.exec(migration.sql(COLUMN_TYPES.sqlite));
      database.prepare('INSERT INTO migration (number, name) VALUES (?, ?)').run(migration.number, migration.name);
      database.pragma(`user_version = ${Math.max(versionOf(database), migration.number)}`);
    });
    apply.immediate();
  }
}

/** Makes the table of steps, with those that `user_version` told of before there was one. */
function recordVersion(database: Database, migrations: readonly Migration[]): void {
  if (hasTable(database)) return;
  database.exec(MIGRATION_TABLE);
  const insert = database.prepare('INSERT INTO migration (number, name) VALUES (?, ?)');
  const version = versionOf(database);
  for (const { number, name } of migrations) if (number <= version) insert.run(number, name);
}

function appliedOf(database: Database): readonly number[] {
  if (hasTable(database)) return database.prepare<[], number>('SELECT number FROM migration').pluck().all();
  return Array.from({ length: versionOf(database) }, (_, index) => index + 1);
}

function hasTable(database: Database): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'").get() !== undefined
  );
}

function versionOf(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}
