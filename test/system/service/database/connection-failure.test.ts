import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { toServiceProblem } from '../../../../src/service/request/problem.ts';
import { openPostgresDatabase } from '../../../../src/service/database/postgres/postgres-database.ts';
import type { SqlDatabase } from '../../../../src/service/database/sql-database.ts';
import { postgresDatabase } from '../../../helpers/postgres/postgres.ts';

/** A PostgreSQL behind a proxy that can end connections without an error of the operating system. */
class Proxied {
  readonly database: SqlDatabase;
  readonly #clients: Set<Socket>;
  readonly #setRefusing: () => void;

  private constructor(database: SqlDatabase, clients: Set<Socket>, setRefusing: () => void) {
    this.database = database;
    this.#clients = clients;
    this.#setRefusing = setRefusing;
  }

  static async open(): Promise<Proxied> {
    const url = new URL(await postgresDatabase());
    const { hostname, port } = url;
    const clients = new Set<Socket>();
    let isRefusing = false;
    const server = createServer((client) => {
      client.on('error', () => undefined);
      if (isRefusing) return void client.end();
      clients.add(client);
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const database = await openPostgresDatabase(url.href);
    onTestFinished(() => database.close());
    return new Proxied(database, clients, () => {
      isRefusing = true;
    });
  }

  /** Ends all connections, and each new one as soon as it is made. */
  end(): void {
    this.#setRefusing();
    for (const client of this.#clients) client.end();
  }
}

describe('a request that needs PostgreSQL', () => {
  let proxied: Proxied;
  beforeEach(async () => {
    proxied = await Proxied.open();
  });

  const problemOf = async (query: string) => {
    const error: unknown = await sql
      .raw(query)
      .execute(proxied.database.queries)
      .catch((reason: unknown) => reason);
    return toServiceProblem(error);
  };

  test('fails as `unavailable` when the connection ends during a query', async () => {
    const problem = problemOf('SELECT pg_sleep(600)');
    await expect.poll(async () => (await activity(proxied.database)) > 0).toBe(true);
    proxied.end();
    expect(await problem).toMatchObject({ code: 'unavailable', status: 503 });
  });

  test('fails as `unavailable` when no connection can be made', async () => {
    proxied.end();
    await expect.poll(async () => (await problemOf('SELECT 1')).code).toBe('unavailable');
    expect(await problemOf('SELECT 1')).toMatchObject({ code: 'unavailable', status: 503 });
  });

  test('fails as `unavailable` when the server ends the connection', async () => {
    expect(await problemOf('SELECT pg_terminate_backend(pg_backend_pid())')).toMatchObject({ code: 'unavailable' });
  });

  test('fails as `unavailable` when the connection ends inside a transaction, which is then rolled back', async () => {
    const error: unknown = await proxied.database
      .transaction(async ({ queries }) => {
        const query = sql.raw('SELECT pg_sleep(600)').execute(queries);
        query.catch(() => undefined);
        await expect.poll(async () => (await activity(proxied.database)) > 0).toBe(true);
        proxied.end();
        await query;
      })
      .catch((reason: unknown) => reason);
    expect(toServiceProblem(error)).toMatchObject({ code: 'unavailable', status: 503 });
  });

  test('fails as `internal` when the query is wrong', async () => {
    expect(await problemOf('SELECT * FROM nowhere')).toMatchObject({ code: 'internal', status: 500 });
  });
});

async function activity({ queries }: SqlDatabase): Promise<number> {
  const found = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`.execute(queries);
  return found.rows[0]!.count;
}
