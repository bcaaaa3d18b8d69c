import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Requests by method, and the bytes of their bodies and those of the responses. */
export interface Traffic {
  readonly requests: Readonly<Record<string, number>>;
  readonly total: number;
  readonly sent: number;
  readonly received: number;
}

/** A port of the loopback that passes HTTP on to a store and counts it. Signatures stay valid: nothing is changed. */
export class CountingProxy implements AsyncDisposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #target: URL;
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response));
  #requests: Record<string, number> = {};
  #sent = 0;
  #received = 0;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  /** @param target without a path */
  static async listen(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    // Large uploads take their time.
    proxy.#server.requestTimeout = 0;
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns what passed since the last call. */
  take(): Traffic {
    const requests = this.#requests;
    const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
    const traffic = { requests, total, sent: this.#sent, received: this.#received };
    this.#requests = {};
    this.#sent = 0;
    this.#received = 0;
    return traffic;
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/', rawHeaders } = incoming;
    const kind = method === 'GET' && /[?&](?:list-type|prefix|delimiter|location)\b/.test(url) ? 'LIST' : method;
    this.#requests[kind] = (this.#requests[kind] ?? 0) + 1;
    const outgoing = request({
      host: this.#target.hostname,
      port: this.#target.port,
      method,
      path: url,
      headers: rawHeaders,
      setHost: false,
      agent: this.#agent,
    });
    incoming.on('data', (bytes: Buffer) => (this.#sent += bytes.length));
    incoming.pipe(outgoing);
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.on('data', (bytes: Buffer) => (this.#received += bytes.length));
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => {
      if (!response.writableFinished) outgoing.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => undefined);
  }
}
