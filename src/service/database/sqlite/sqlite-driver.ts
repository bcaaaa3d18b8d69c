import type { Database } from 'better-sqlite3';
import {
  type CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { prepareOnce } from '../../../base/prepared-statements.ts';
import { type MakeRoom, withRoomNow } from '../../disk/disk-reserve.ts';
import type { ConnectionTurns } from './connection-turns.ts';

/**
 * Kysely over a connection that is shared with synchronous stores. Unlike in Kysely's own dialect, transactions take the write
 * lock when they begin, are durable when they have ended, and wait for their turn at the connection.
 *
 * @param makeRoom for single statements; whoever runs a transaction repeats it
 */
export function createSqliteDialect(database: Database, turns: ConnectionTurns, makeRoom: MakeRoom): Dialect {
  return {
    createDriver: () => new TurnTakingDriver(database, turns, makeRoom),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (queries) => new SqliteIntrospector(queries),
  };
}

class TurnTakingDriver implements Driver {
  readonly #database: Database;
  readonly #turns: ConnectionTurns;
  readonly #connection: DatabaseConnection;
  #release: () => void = () => undefined;

  constructor(database: Database, turns: ConnectionTurns, makeRoom: MakeRoom) {
    this.#database = database;
    this.#turns = turns;
    this.#connection = new SharedConnection(database, makeRoom);
  }

  async init(): Promise<void> {
    // openSqliteConnection has set it up.
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#release = await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async beginTransaction(): Promise<void> {
    this.#database.pragma('synchronous = FULL');
    try {
      this.#database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      this.#database.pragma('synchronous = NORMAL');
      throw error;
    }
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('COMMIT');
    this.#database.pragma('synchronous = NORMAL');
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite rolls back by itself when the disk is full.
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#database.pragma('synchronous = NORMAL');
  }

  async destroy(): Promise<void> {
    // SqliteDatabase closes the connection.
  }
}

class SharedConnection implements DatabaseConnection {
  readonly #database: Database;
  readonly #makeRoom: MakeRoom;

  constructor(database: Database, makeRoom: MakeRoom) {
    this.#database = database;
    this.#makeRoom = makeRoom;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#database.inTransaction) return this.#run(query);
    return withRoomNow(() => this.#run<Row>(query), this.#makeRoom);
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = prepareOnce<unknown[], Row>(this.#database, sql);
    if (statement.reader) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // oxlint-disable-next-line require-yield -- a stream of rows would block the connection for all others
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming is not supported: read in pages');
  }
}
