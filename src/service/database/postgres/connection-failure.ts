import { DatabaseError, type Pool, type PoolClient } from 'pg';

/** node-postgres has no class for these errors, and no code for most of them. */
const failures = new WeakSet<Error>();

/** Returns whether the connection to PostgreSQL could not be made, or broke during a query. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof Error && failures.has(error);
}

/**
 * Records the errors of connections in use: node-postgres emits the same error that it fails the queries with. It refuses each
 * later query with an error of its own, such as the ROLLBACK of a transaction that was under way.
 */
export function recordBrokenConnections(pool: Pool): void {
  pool.on('connect', (client) => {
    let isBroken = false;
    client.on('error', (error) => {
      isBroken = true;
      record(error);
    });
    const query = client.query.bind(client) as (...parameters: readonly unknown[]) => unknown;
    client.query = ((...parameters: readonly unknown[]) => {
      const result = query(...parameters);
      if (result instanceof Promise) result.catch((error: unknown) => isBroken && record(error));
      return result;
    }) as typeof client.query;
  });
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
