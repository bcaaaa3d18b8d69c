import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { FaultyHttp, FixedResponse, type HttpFault } from '../http/faulty-http.ts';
import type { Line } from '../line-campaign.ts';

/** Headers of one connection. The length is that of the body that is sent. */
const OWN = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

/** A port of the loopback that passes HTTP on to a store, with the faults of `FaultyHttp`. Signatures stay valid: nothing is changed. */
export class FaultyGateway implements Line<HttpFault>, AsyncDisposable {
  readonly #server = createServer((incoming, response) => void this.#answer(incoming, response));
  readonly #target: URL;
  readonly #http: FaultyHttp;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#http = new FaultyHttp(new NodeHttp());
  }

  static async listen(target: string): Promise<FaultyGateway> {
    const gateway = new FaultyGateway(target);
    gateway.#server.listen(0, '127.0.0.1');
    await once(gateway.#server, 'listening');
    return gateway;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  begin(fault?: HttpFault): number {
    return this.#http.begin(fault);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(incoming);
      const { method, url = '/', headers } = incoming;
      const answer = await this.#http.request({
        method: method as HttpRequest['method'],
        url: new URL(url, this.#target).href,
        headers: headers as Record<string, string>,
        body,
      });
      const kept = Object.entries(answer.headers).filter(([name, value]) => value !== undefined && !OWN.has(name));
      const length = answer.headers['content-length'];
      const parts: Uint8Array[] = [];
      let isBroken = false;
      try {
        for await (const part of answer.body) parts.push(part);
      } catch {
        isBroken = true;
      }
      const bytes = Buffer.concat(parts);
      const isWithLength = method === 'HEAD' || isBroken;
      response.writeHead(answer.status, {
        ...Object.fromEntries(kept),
        ...(answer.status === 204 ? {} : { 'content-length': (isWithLength ? length : undefined) ?? bytes.length }),
      });
      response.write(bytes);
      if (isBroken) await new Promise((resolve) => setImmediate(resolve));
      if (isBroken) response.destroy();
      else response.end();
    } catch {
      response.destroy();
    }
  }
}

/** Sends headers as they are, that of the host, too. */
class NodeHttp implements HttpClient {
  async request({ method, url, headers = {}, body }: HttpRequest): Promise<HttpResponse> {
    const { hostname, port, pathname, search } = new URL(url);
    const outgoing = request({ hostname, port, path: pathname + search, method, headers, setHost: false });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    return new FixedResponse(response.statusCode!, response.headers as HttpResponse['headers'], bytes);
  }

  async close(): Promise<void> {
    // Each request has a connection of its own.
  }
}
