import { DatabaseError, type Pool, type PoolClient } from 'pg';

/** node-postgres has no class for these errors, and no code for most of them. */
const failures = new WeakSet<Error>();

/** Returns whether the connection to PostgreSQL could not be made, or broke during a query. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof Error && failures.has(error);
}

/** Records the errors of connections in use: node-postgres emits the same error that it fails the queries with. */
export function recordBrokenConnections(pool: Pool): void {
  pool.on('connect', (client) => void client.on('error', record));
}

/** Takes a connection from the pool, and records the error if there is none. */
export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    record(error);
    throw error;
  }
}

function record(error: unknown): void {
  // PostgreSQL has answered: its code decides.
  if (error instanceof Error && !(error instanceof DatabaseError)) failures.add(error);
}
