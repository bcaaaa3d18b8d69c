import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type { IsolationLevel } from 'kysely';
import { Pool, types } from 'pg';
import { emitEvent } from '../webhooks/emit-event.ts';
import { DatabaseError } from '../../problem.ts';
import { NewerSchemaError } from '../schema/migration.ts';
import { migratePostgres } from '../schema/migrate-postgres.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { Tables } from './tables.ts';

/** Connections of one process at most. */
const CONNECTIONS = 10;

/** A connection that cannot be had in so many milliseconds is a failure. */
const CONNECTION_TIMEOUT = 15_000;

/** Tries of a transaction that others get in the way of. */
const TRIES = 30;

/** What PostgreSQL says when two transactions would not have had the same result one after the other. */
const CONFLICTS = new Set(['40001', '40P01']);

/** Whole numbers of 64 bits, and the sums of these. */
const WHOLE_NUMBERS = new Set([20, 1700]);

/** Leaves a setting that is stricter yet. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', FALSE) WHERE current_setting('synchronous_commit') = 'off'`;

export interface PostgresDatabase extends SqlDatabase {
  /**
   * As `transaction`, at PostgreSQL's usual isolation: each statement sees what others have committed before it. For large
   * writes, whose every reading would otherwise be remembered; `work` takes the locks that it needs.
   */
  readonly lockingTransaction: SqlDatabase['transaction'];
  close(): Promise<void>;
}

/**
 * Opens a PostgreSQL database and brings its schema up to date. Any number of processes may do so at once.
 *
 * @param url `postgres://user:password@host:port/name`
 * @param onEvents called after a transaction of this process that recorded events
 * @throws DatabaseError, NewerSchemaError
 */
export async function openPostgresDatabase(url: string, onEvents: () => void): Promise<PostgresDatabase> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'holdfast',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  });
  // What is answered as done is on disk, whatever the server's own setting says; a connection that cannot be told so is broken.
  pool.on('connect', (client) => void client.query(DURABLE).catch(() => undefined));
  // A connection that breaks while nobody uses it is replaced; whoever uses one hears of it there.
  pool.on('error', () => undefined);
  try {
    await migratePostgres(pool);
  } catch (error) {
    await pool.end();
    if (error instanceof NewerSchemaError) throw error;
    throw new DatabaseError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const transactionOf =
    (isolation: IsolationLevel): SqlDatabase['transaction'] =>
    (work) =>
      retryConflicts(async () => {
        let emitted = false;
        const result = await queries
          .transaction()
          .setIsolationLevel(isolation)
          .execute((transaction) =>
            work({
              dialect: 'postgres',
              queries: transaction,
              emit: async (event) => {
                emitted = true;
                await emitEvent(transaction, event);
              },
            }),
          );
        if (emitted) onEvents();
        return result;
      });
  return {
    dialect: 'postgres',
    queries,
    transaction: transactionOf('serializable'),
    lockingTransaction: transactionOf('read committed'),
    exclusively: (name, work) => exclusively(pool, name, work),
    close: async () => {
      await queries.destroy();
      // Kysely ends the pool only where it has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (WHOLE_NUMBERS.has(oid)) return Number;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}

/** Runs a transaction again, after a short while, as long as it fails only because of others. */
export async function retryConflicts<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === TRIES || !isConflict(error)) throw error;
      await sleep(Math.random() * Math.min(10 * attempt, 200));
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(String(error.code));
}

/** A lock of the connection's: PostgreSQL takes it away from a process that dies. */
async function exclusively<Result>(pool: Pool, name: string, work: () => Promise<Result>): Promise<Result | undefined> {
  const client = await pool.connect();
  let broken = true;
  try {
    const lock = [`holdfast:${name}`];
    const taken = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken', lock);
    if (!(taken.rows as { taken: boolean }[])[0]!.taken) {
      broken = false;
      return undefined;
    }
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', lock);
      broken = false;
    }
  } finally {
    // With the connection its lock ends, where it could not be given back.
    client.release(broken);
  }
}
