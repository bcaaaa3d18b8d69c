import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { ConnectionTurns } from './connection-turns.ts';
import { emitEvent } from './emit-event.ts';
import type { SqlDatabase } from './sql-database.ts';
import { createSqliteDialect } from './sqlite-driver.ts';
import type { Tables } from './tables.ts';

/**
 * The asynchronous side of a SQLite connection.
 *
 * @param onEvents called after a transaction that recorded events
 */
export function createSqliteDatabase(database: Database, turns: ConnectionTurns, onEvents: () => void): SqlDatabase {
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database, turns) });
  return {
    dialect: 'sqlite',
    queries,
    transaction: async (work) => {
      let emitted = false;
      const result = await queries.transaction().execute((transaction) =>
        work({
          dialect: 'sqlite',
          queries: transaction,
          emit: async (event) => {
            emitted = true;
            await emitEvent(transaction, event);
          },
        }),
      );
      if (emitted) onEvents();
      return result;
    },
    exclusively: (name, work) => exclusively(`${database.name}-${name}.lock`, work),
  };
}

/** A lock of SQLite's on a file of its own: the system takes it away from a process that dies. */
async function exclusively<Result>(file: string, work: () => Promise<Result>): Promise<Result | undefined> {
  const lock = new BetterSqlite(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}
