import { DatabaseError, type ClientBase } from 'pg';

/** A standby that was promoted has the identifier of its cluster; a cluster into which a dump was restored has another one. */
const CLUSTER = 'SELECT system_identifier::text AS id FROM pg_control_system()';

const DATABASE = 'SELECT oid::text AS id FROM pg_database WHERE datname = current_database()';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Identifies a database and the cluster that it is in, if the user may know the latter. */
export async function postgresPlace(client: Pick<ClientBase, 'query'>): Promise<string> {
  const [cluster, database] = [await clusterOf(client), await client.query<{ readonly id: string }>(DATABASE)];
  return `${cluster}/${database.rows[0]!.id}`;
}

async function clusterOf(client: Pick<ClientBase, 'query'>): Promise<string> {
  try {
    return (await client.query<{ readonly id: string }>(CLUSTER)).rows[0]!.id;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) return '';
    throw error;
  }
}
