import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly retryAfter: string | undefined;
  readonly json: () => Readonly<Record<string, unknown>>;
}

/** Sends requests to a service under load: many connections, no client timeouts. */
export class LoadClient {
  readonly #urls: readonly string[];
  #asked = 0;
  readonly #agent = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });

  /** @param urls the addresses of the service's processes, used in turn, as by a load balancer */
  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** @param body serialised unless it is bytes, text or a stream */
  async post(path: string, body: unknown, token?: string): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array || isIterable(body);
    return this.#send('POST', this.#addressOf(path), raw ? body : JSON.stringify(body), {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
  }

  get(path: string, token?: string): Promise<Answer> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return this.#send('GET', this.#addressOf(path), undefined, headers);
  }

  put(url: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Answer> {
    return this.#send('PUT', url, body, headers);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #addressOf(path: string): string {
    if (path.startsWith('http')) return path;
    this.#asked += 1;
    return this.#urls[this.#asked % this.#urls.length]! + path;
  }

  async #send(
    method: Dispatcher.HttpMethod,
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const answer = await request(url, {
      method,
      headers,
      dispatcher: this.#agent,
      ...(body === undefined ? {} : { body: body as string | Uint8Array }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      bytes,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      json: () => JSON.parse(bytes.toString('utf8')) as Record<string, unknown>,
    };
  }
}

/** Returns the JSON of a successful response. */
export function good(what: string, answer: Answer): Readonly<Record<string, unknown>> {
  if (answer.status === 200) return answer.json();
  throw new Error(`${what} answered ${answer.status}: ${answer.bytes.toString('utf8').slice(0, 300)}`);
}

export interface LoadDevice {
  readonly id: string;
  readonly key: string;
}

export async function deviceToken(client: LoadClient, { id, key }: LoadDevice): Promise<string> {
  const time = Math.floor(Date.now() / 1000);
  const hmac = createHmac('sha256', key).update(`${time}.${id}`).digest('hex');
  const body = { device_key: key, device_id: id, signature: `t=${time},v1=${hmac}` };
  return String(good('device authentication', await client.post('/functions/v1/auth/device', body))['access_token']);
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export const STATS = {
  files_processed: 0,
  chunks_new: 0,
  chunks_deduped: 0,
  bytes_scanned: 0,
  bytes_uploaded: 0,
  duration_seconds: 0,
};

function isIterable(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
