import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ReceivedPing {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

export interface PingServer {
  readonly url: string;
  readonly received: ReceivedPing[];
  /** The statuses of the next answers; 200 when there is none left. 0 closes the connection, and -1 never answers. */
  readonly statuses: number[];
  onPing: (() => void) | undefined;
}

/** Starts a server that keeps the pings that it gets. */
export async function startPingServer(): Promise<PingServer> {
  const received: ReceivedPing[] = [];
  const statuses: number[] = [];
  const pings: PingServer = { url: '', received, statuses, onPing: undefined };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    received.push({ method: request.method, path: request.url, type: request.headers['content-type'], body });
    const status = statuses.shift() ?? 200;
    pings.onPing?.();
    if (status === -1) return;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok');
  };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(pings, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
