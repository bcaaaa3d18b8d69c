import type { Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { type DiskReserve, type MakeRoom, withRoom, withRoomNow } from '../../disk/disk-reserve.ts';
import { takeFileLock } from '../../disk/file-lock.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { runWithEvents } from '../events.ts';
import type { RunTransaction, SqlDatabase } from '../sql-database.ts';
import { structureProblem } from './check-structure.ts';
import { openSqliteConnection } from './sqlite-connection.ts';
import { createSqliteDialect } from './sqlite-driver.ts';
import { createMakeRoom } from './sqlite-room.ts';
import type { Tables } from '../tables.ts';

export interface SqliteDatabase extends SqlDatabase {
  /** Used for prepared statements, within a turn only. */
  readonly connection: Database;
  readonly turns: ConnectionTurns;
  /** For small writes by prepared statements. */
  readonly makeRoom: MakeRoom;
}

/**
 * Opens a SQLite database and creates its tables if it is new.
 *
 * @param onEvents called after a transaction that recorded events
 * @param reserve is given up for single statements and `transaction` if the disk is full; a `lockingTransaction` does not get it
 * @throws NewerSchemaError
 */
export function openSqliteDatabase(
  file: string,
  onEvents: () => void = () => undefined,
  reserve?: DiskReserve,
): SqliteDatabase {
  const giveUp = (): boolean => reserve?.giveUp() === true;
  const connection = withRoomNow(() => openSqliteConnection(file), giveUp);
  const makeRoom = createMakeRoom(connection, reserve);
  const turns = new ConnectionTurns();
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(connection, turns, makeRoom) });
  const lockingTransaction: RunTransaction = (work) => runWithEvents('sqlite', queries.transaction(), work, onEvents);
  return {
    dialect: 'sqlite',
    connection,
    turns,
    queries,
    makeRoom,
    transaction: (work) =>
      withRoom(
        () => lockingTransaction(work),
        (failures) => turns.run(async () => makeRoom(failures)),
      ),
    lockingTransaction,
    place: async () => undefined,
    structureProblem: () => structureProblem(connection.name),
    exclusively: (name, work) => exclusively(`${connection.name}-${name}.lock`, work),
    close: () => turns.run(async () => void connection.close()),
  };
}

async function exclusively<Result>(file: string, work: () => Promise<Result>): Promise<Result | undefined> {
  const release = takeFileLock(file);
  if (!release) return undefined;
  try {
    return await work();
  } finally {
    release();
  }
}
