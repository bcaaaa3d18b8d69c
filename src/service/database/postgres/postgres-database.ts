import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type { IsolationLevel } from 'kysely';
import { Pool, types } from 'pg';
import { createPostgresSchema } from '../schema/postgres-schema.ts';
import { NewerSchemaError } from '../schema/schema.ts';
import { DatabaseError } from '../store-error.ts';
import { connect, recordBrokenConnections } from './connection-failure.ts';
import { postgresPlace } from './postgres-place.ts';
import { runWithEvents } from '../events.ts';
import type { RunTransaction, SqlDatabase } from '../sql-database.ts';
import type { Tables } from '../tables.ts';

/** The most connections of one process. */
const CONNECTIONS = 10;

/** Milliseconds to wait for a free connection. */
const CONNECTION_TIMEOUT = 15_000;

/** Attempts at a transaction that conflicts with others. */
const ATTEMPTS = 30;

/** Serialization failure and deadlock. */
const CONFLICT_CODES = new Set(['40001', '40P01']);

/** Type ids of 64-bit integers and of their sums, both of which fit into a number here. */
const INTEGER_TYPES = new Set([20, 1700]);

/** Makes commits durable even if the server's default is `off`; keeps stricter settings. */
const DURABLE_COMMITS = `SELECT set_config('synchronous_commit', 'on', FALSE) WHERE current_setting('synchronous_commit') = 'off'`;

/**
 * Opens a PostgreSQL database and creates its tables if it is new. Any number of processes may do so at once.
 *
 * @param url `postgres://user:password@host:port/name`
 * @param onEvents called after a transaction of this process that recorded events
 * @throws DatabaseError, NewerSchemaError
 */
export async function openPostgresDatabase(url: string, onEvents: () => void = () => undefined): Promise<SqlDatabase> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'holdfast',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECTION_TIMEOUT,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  });
  // A connection on which this fails is broken, and fails the next query too.
  pool.on('connect', (client) => void client.query(DURABLE_COMMITS).catch(() => undefined));
  // The pool replaces an idle connection that breaks; one in use fails its query.
  pool.on('error', () => undefined);
  recordBrokenConnections(pool);
  try {
    await createPostgresSchema(pool);
  } catch (error) {
    await pool.end();
    if (error instanceof NewerSchemaError) throw error;
    throw new DatabaseError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const queries = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect: () => connect(pool), end: () => pool.end() },
    }),
  });
  const transactionOf =
    (isolation: IsolationLevel): RunTransaction =>
    (work) =>
      retryConflicts(() =>
        runWithEvents('postgres', queries.transaction().setIsolationLevel(isolation), work, onEvents),
      );
  return {
    dialect: 'postgres',
    queries,
    transaction: transactionOf('serializable'),
    lockingTransaction: transactionOf('read committed'),
    exclusively: (name, work) => exclusively(pool, name, work),
    place: () => postgresPlace(pool),
    structureProblem: async () => undefined,
    close: async () => {
      await queries.destroy();
      // Kysely ends the pool only if it has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (INTEGER_TYPES.has(oid)) return Number;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}

/** Runs a transaction, and repeats it after a short random delay while it conflicts with others. */
export async function retryConflicts<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
      await sleep(Math.random() * Math.min(10 * attempt, 200));
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICT_CODES.has(String(error.code));
}

/** Uses an advisory lock of a connection, which PostgreSQL releases when the process dies. */
async function exclusively<Result>(pool: Pool, name: string, work: () => Promise<Result>): Promise<Result | undefined> {
  const client = await connect(pool);
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
    // Closing the connection ends a lock that could not be released.
    client.release(broken);
  }
}
