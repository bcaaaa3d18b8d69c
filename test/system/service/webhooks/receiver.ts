import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of webhooks on the loopback that stores its requests. */
export interface TestReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Connections, with or without a request. */
  readonly connections: number;
}

/** Responds to each request with a status, or by `answer`. */
export async function startReceiver(
  answer: (request: ReceivedRequest, response: ServerResponse) => number | undefined,
  options: { readonly host?: string; readonly port?: number } = {},
): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server: Server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const request = { method, path, headers, body: Buffer.concat(parts) };
      requests.push(request);
      const status = answer(request, response);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    port,
    requests,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      server.closeAllConnections();
      await closed;
    },
  };
}
