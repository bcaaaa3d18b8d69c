import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
} as const;

/** Waits for the browser's redirect to this computer (RFC 8252, 7.3). */
export class LoopbackListener implements AsyncDisposable {
  /** The redirect URI, with a path that nobody else can guess. */
  readonly address: string;
  readonly #server: Server;
  readonly #returned: Promise<URLSearchParams>;

  private constructor(server: Server, address: string, returned: Promise<URLSearchParams>) {
    this.#server = server;
    this.address = address;
    this.#returned = returned;
  }

  static async open(): Promise<LoopbackListener> {
    const path = `/${randomBytes(16).toString('base64url')}`;
    const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
    const server = createServer((request, response) => answer(request, response, path, resolve));
    await new Promise<void>((listening, failed) => {
      server.once('error', failed);
      server.listen(0, '127.0.0.1', () => listening());
    });
    const { port } = server.address() as AddressInfo;
    return new LoopbackListener(server, `http://127.0.0.1:${port}${path}`, promise);
  }

  /** Resolves with the query of the redirect. Rejects with the signal's reason. */
  returned(signal?: AbortSignal): Promise<URLSearchParams> {
    if (!signal) return this.#returned;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    return Promise.race([this.#returned, promise]).finally(() => signal.removeEventListener('abort', abort));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
  }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  resolve: (query: URLSearchParams) => void,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method !== 'GET' || pathname !== path) {
    response.writeHead(404, HEADERS).end('<!doctype html><title>Holdfast</title><p>There is nothing here.</p>');
    return;
  }
  const text = searchParams.has('code') ? 'You are signed in.' : 'The sign-in did not succeed.';
  const page = `<!doctype html><title>Holdfast</title><p>${text} You can close this page and go back to Holdfast.</p>`;
  response.writeHead(200, HEADERS).end(page, () => resolve(searchParams));
}
