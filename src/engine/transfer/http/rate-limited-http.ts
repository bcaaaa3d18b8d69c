import type { Clock } from '../../../base/clock.ts';
import { readBytes, withLength } from './http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { RateLimit } from './rate-limit.ts';
import type { Rate } from './rate-limit.ts';

export interface TransferRates {
  readonly upload: Rate;
  readonly download: Rate;
}

/** What a person allows a run, in bytes a second; no limit where nothing is said. A function is asked again and again. */
export interface TransferLimits {
  readonly limitUpload?: number | Rate;
  readonly limitDownload?: number | Rate;
}

/** A limit as it is at any time. */
export function rateOf(limit: number | Rate | undefined): Rate {
  return typeof limit === 'function' ? limit : () => limit;
}

/** Of a request or an answer. */
interface Head {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The request or status line, and what separates headers. */
const LINE_BYTES = 32;
const HEADER_BYTES = 4;

/**
 * Holds all requests together to a rate in each direction, with their headers. What arrives is taken from the network at
 * that rate; what fits into the system's receive buffers arrives before.
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
    const answer = await this.#http.request(this.#paced(request));
    await this.#download.take(headBytes(answer), signal);
    return new LimitedResponse(answer, pacedParts(answer.body, this.#download, signal));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  #paced(request: HttpRequest): HttpRequest {
    const { body, signal } = request;
    if (body === undefined) return request;
    const limit = this.#upload;
    if (typeof body === 'function') return { ...request, body: () => pacedParts(body(), limit, signal) };
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return {
      ...request,
      headers: withLength(request.headers, bytes.length),
      body: () => pacedBytes(bytes, limit, signal),
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

async function* pacedParts(
  parts: AsyncIterable<Uint8Array>,
  limit: RateLimit,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield* pacedBytes(part, limit, signal);
}

async function* pacedBytes(
  bytes: Uint8Array,
  limit: RateLimit,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length;) {
    const piece = bytes.subarray(from, from + limit.piece);
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
