import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A delivery as it arrived. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The status that it was answered with. */
  readonly answered: number;
}

/** Receives deliveries of a webhook that a person has set up at the service. The first one is refused, to see whether it comes again. */
export class WebhookReceiver {
  readonly secret: string;
  readonly url: string;
  readonly received: Received[] = [];
  readonly #close: () => void;
  #waiting: (() => void)[] = [];

  private constructor(secret: string, url: string, close: () => void) {
    this.secret = secret;
    this.url = url;
    this.#close = close;
  }

  /** @param port 0 for any */
  static async listen(port: number, secret: string, host = '0.0.0.0'): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      void (async () => {
        const body = await buffer(request);
        const answered = receiver.received.length === 0 ? 503 : 200;
        receiver.received.push({ headers: request.headers, body, answered });
        response.writeHead(answered).end();
        for (const wake of receiver.#waiting.splice(0)) wake();
      })();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const { port: chosen } = server.address() as AddressInfo;
    const receiver: WebhookReceiver = new WebhookReceiver(secret, `http://127.0.0.1:${chosen}/`, () => {
      server.close();
      server.closeAllConnections();
    });
    server.unref();
    return receiver;
  }

  /** Returns the deliveries that `wanted` selects, once there is one; after `seconds` without one, none. */
  async find(wanted: (one: Received) => boolean, seconds: number): Promise<readonly Received[]> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const found = this.received.filter(wanted);
      const left = end - Date.now();
      if (found.length > 0 || left <= 0) return found;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  close(): void {
    this.#close();
  }
}
