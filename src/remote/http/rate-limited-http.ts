import type { Clock } from '../../base/clock.ts';
import { readBytes, withLength } from './http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { RateLimit } from './rate-limit.ts';
import type { Rate } from './rate-limit.ts';

export interface TransferRates {
  readonly upload: Rate;
  readonly download: Rate;
}

/** Limits of a run, in bytes per second; none by default. A function is called for each piece that is sent. */
export interface TransferLimits {
  readonly limitUpload?: number | Rate;
  readonly limitDownload?: number | Rate;
}

/** Converts a fixed limit to a rate. */
export function rateOf(limit: number | Rate | undefined): Rate {
  return typeof limit === 'function' ? limit : () => limit;
}

/** The head of a request or a response. */
interface Head {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Sizes of the request or status line and of a header's separators. */
const LINE_BYTES = 32;
const HEADER_BYTES = 4;

/**
 * Limits the total rate of all requests in each direction, headers included. Data is read from the network at that rate, so
 * the system's receive buffers may fill faster.
 */
export class RateLimitedHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #upload: RateLimit;
  readonly #download: RateLimit;

  constructor(http: HttpClient, rates: TransferRates, clock: Clock) {
    this.#http = http;
    this.#upload = new RateLimit(rates.upload, clock);
    this.#download = new RateLimit(rates.download, clock);
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    await this.#upload.take(headBytes(request), signal);
    const response = await this.#http.request(this.#throttled(request));
    await this.#download.take(headBytes(response), signal);
    return new LimitedResponse(response, throttledParts(response.body, this.#download, signal));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  #throttled(request: HttpRequest): HttpRequest {
    const { body, signal } = request;
    if (body === undefined) return request;
    const limit = this.#upload;
    if (typeof body === 'function') return { ...request, body: () => throttledParts(body(), limit, signal) };
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return {
      ...request,
      headers: withLength(request.headers, bytes.length),
      body: () => throttledBytes(bytes, limit, signal),
    };
  }
}

class LimitedResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly body: AsyncIterable<Uint8Array>;
  readonly #response: HttpResponse;

  constructor(response: HttpResponse, body: AsyncIterable<Uint8Array>) {
    this.status = response.status;
    this.headers = response.headers;
    this.body = body;
    this.#response = response;
  }

  bytes(limit?: number): Promise<Uint8Array> {
    return readBytes(this.body, limit);
  }

  discard(): Promise<void> {
    return this.#response.discard();
  }
}

async function* throttledParts(
  parts: AsyncIterable<Uint8Array>,
  limit: RateLimit,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield* throttledBytes(part, limit, signal);
}

async function* throttledBytes(
  bytes: Uint8Array,
  limit: RateLimit,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length;) {
    const piece = bytes.subarray(from, from + limit.pieceBytes);
    await limit.take(piece.length, signal);
    yield piece;
    from += piece.length;
  }
}

function headBytes({ url = '', headers = {} }: Head): number {
  let bytes = LINE_BYTES + url.length;
  for (const [name, value] of Object.entries(headers)) bytes += name.length + (value?.length ?? 0) + HEADER_BYTES;
  return bytes;
}
