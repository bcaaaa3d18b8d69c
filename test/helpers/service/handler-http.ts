import { Readable } from 'node:stream';
import { readBytes } from '../../../src/remote/http/http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../src/remote/http/http-client.ts';
import { streamedBody } from '../../../src/remote/http/streamed-body.ts';

/** A service in this process, by the Fetch standard's Request and Response. */
type RequestHandler = (request: Request) => Promise<Response>;

/** Passes requests to a handler in this process. */
export class HandlerHttp implements HttpClient {
  readonly #handle: RequestHandler;

  constructor(handle: RequestHandler) {
    this.#handle = handle;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    const streamed = typeof request.body === 'function' ? streamedBody(request.body) : undefined;
    const body = streamed ? Readable.toWeb(Readable.from(streamed.parts)) : ownMemory(request.body);
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
    const failure = streamed?.failure();
    const aborted = request.signal?.aborted === true;
    // A handler may respond to a body that broke off.
    if ((failure || aborted) && 'response' in outcome) await outcome.response.body?.cancel();
    if (failure) throw failure.error;
    if (aborted) throw request.signal?.reason;
    if ('error' in outcome) throw outcome.error;
    return new HandlerResponse(outcome.response);
  }

  async close(): Promise<void> {
    // The handler belongs to its creator.
  }
}

/** A Request takes a view of shared memory for text. */
function ownMemory<Body>(body: Body): Body | Uint8Array {
  return body instanceof Uint8Array && body.buffer instanceof SharedArrayBuffer ? Uint8Array.from(body) : body;
}

class HandlerResponse implements HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #response: Response;

  constructor(response: Response) {
    this.status = response.status;
    // Compression is useless without a network, so the service's offer is hidden.
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
