import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { takeFileLock } from '../../disk/file-lock.ts';
import type { ConnectionTurns } from './connection-turns.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
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

async function exclusively<Result>(file: string, work: () => Promise<Result>): Promise<Result | undefined> {
  const giveBack = takeFileLock(file);
  if (!giveBack) return undefined;
  try {
    return await work();
  } finally {
    giveBack();
  }
}
