import type { HttpClient, HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { ENDPOINTS } from '../../../../src/protocol/endpoints.ts';
import { IN_PROCESS_URL } from '../../../helpers/service/in-process-service.ts';
import { FixedResponse } from '../http/faulty-http.ts';

/** Sends a request to the honest service. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** Answers a request. */
export type Tell = (request: HttpRequest, send: Send) => Promise<HttpResponse>;

/** A service that lies when it is told to. */
export class LyingHttp implements HttpClient {
  readonly #inner: HttpClient;
  /** Hides the extensions. */
  isPlain = false;
  #tell: Tell | undefined;
  #wasAsked = false;
  /** Headers of requests to other places. */
  readonly elsewhere: Readonly<Record<string, string>>[] = [];

  constructor(inner: HttpClient) {
    this.#inner = inner;
  }

  /** Lies from now on, or not any more. */
  begin(tell: Tell | undefined): void {
    this.#tell = tell;
  }

  /** True if an answer was another one than the service's. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    if (!request.url.startsWith(`${IN_PROCESS_URL}/`)) {
      this.elsewhere.push(request.headers ?? {});
      return answer(200, Buffer.from('the metadata of somebody else'));
    }
    const send: Send = (sent) =>
      this.isPlain && pathOf(sent) === ENDPOINTS.capabilities ? notFound() : this.#inner.request(sent);
    if (!this.#tell) return await send(request);
    let honest: HttpResponse | undefined;
    const told = await this.#tell(request, async (sent) => {
      const response = await send(sent);
      if (sent === request) honest = response;
      return response;
    });
    if (told !== honest) this.#wasAsked = true;
    return told;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

async function notFound(): Promise<HttpResponse> {
  return json({ code: 'not_found' }, 404);
}

export function pathOf({ url }: HttpRequest): string {
  return new URL(url).pathname;
}

export function isCallOf(request: HttpRequest, endpoint: string): boolean {
  return pathOf(request) === endpoint;
}

/** Returns whether it reads or writes a blob at a presigned address. */
export function isBlobCall(request: HttpRequest, method: HttpRequest['method']): boolean {
  return request.method === method && !(Object.values(ENDPOINTS) as string[]).includes(pathOf(request));
}

export function answer(
  status: number,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const length = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) };
  return new FixedResponse(status, { ...length, ...headers }, bytes);
}

export function json(value: unknown, status = 200): HttpResponse {
  return text(JSON.stringify(value), status);
}

export function text(content: string, status = 200): HttpResponse {
  return answer(status, Buffer.from(content), { 'content-type': 'application/json' });
}

/** An answer whose body never ends. */
export function endless(first: string, part: (number: number) => string): HttpResponse {
  async function* bodyOf(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    for (let number = 0; ; number += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      yield Buffer.from(part(number));
    }
  }
  const body = bodyOf();
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body,
    async bytes(limit = Number.POSITIVE_INFINITY) {
      const { readBytes } = await import('../../../../src/remote/http/http-body.ts');
      return await readBytes(body, limit);
    },
    discard: async () => void (await body.return(undefined)),
  };
}
