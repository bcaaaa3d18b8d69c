import { Readable } from 'node:stream';
import { readBytes } from './http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { streamedBody } from './streamed-body.ts';

/** A service in this process: Request to Response, as the Fetch standard has them. */
export type RequestHandler = (request: Request) => Promise<Response>;

/** Calls a handler as if it were on the network. */
export class HandlerHttp implements HttpClient {
  readonly #handle: RequestHandler;

  constructor(handle: RequestHandler) {
    this.#handle = handle;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    const watched = typeof request.body === 'function' ? streamedBody(request.body) : undefined;
    const body = watched ? Readable.toWeb(Readable.from(watched.parts)) : request.body;
    const handled = new Request(request.url, {
      method: request.method,
      headers: { ...request.headers },
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']>, duplex: 'half' }),
      ...(request.signal ? { signal: request.signal } : {}),
    });
    const outcome = await this.#handle(handled).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    const failure = watched?.failure();
    const aborted = request.signal?.aborted === true;
    // A handler answers what it can to a body that broke off.
    if ((failure || aborted) && 'response' in outcome) await outcome.response.body?.cancel();
    if (failure) throw failure.error;
    if (aborted) throw request.signal?.reason;
    if ('error' in outcome) throw outcome.error;
    return new HandlerResponse(outcome.response);
  }

  async close(): Promise<void> {
    // Whoever made the handler closes what is behind it.
  }
}

class HandlerResponse implements HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #response: Response;

  constructor(response: Response) {
    this.status = response.status;
    // There is no wire to spare, so no offer of compression passes.
    this.headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'accept-encoding'));
    this.body = response.body ?? Readable.from([]);
    this.#response = response;
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return readBytes(this.body, limit);
  }

  async discard(): Promise<void> {
    await this.#response.body?.cancel();
  }
}
