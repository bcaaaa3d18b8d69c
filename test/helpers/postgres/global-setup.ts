import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';
import type { PostgresServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the address of a PostgreSQL server, which the first such request starts. */
    postgresStarter: string;
  }
}

/** One server for a whole run of the tests, started when the first file asks for it. */
// oxlint-disable-next-line import/no-default-export -- vitest asks for it
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const starter = createServer((_request, response) => {
    server ??= startPostgres();
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => starter.listen(0, '127.0.0.1', () => resolve()));
  project.provide('postgresStarter', `http://127.0.0.1:${(starter.address() as AddressInfo).port}/`);
  return async () => {
    starter.close();
    await server?.then((running) => running.stop());
  };
}
