import { wrongUsage } from '../../../base/errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/http-client.ts';
import { readErrorResponse, errorForResponse, errorForFailure } from './error-response.ts';
import type { ErrorResponse } from './error-response.ts';
import { RetryableFailure } from '../http/retrier.ts';
import type { Retrier } from '../http/retrier.ts';
import type { ServiceClock } from './service-clock.ts';

/** One call of the control plane. What belongs to a single try is a function. */
export interface ServiceCall<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base address, with its query. */
  readonly path: string;
  /** Makes the JSON body. */
  readonly json?: () => unknown;
  /** A body that streams, in place of `json`. */
  readonly body?: () => AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stallTimeoutMs?: number;
  /** Ends the call, wherever it is. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call between two tries; a try that is under way comes to its end. In place of `signal`. */
  readonly patience?: AbortSignal;
  /** Tried once only, whatever happens. */
  readonly once?: boolean;
  /** Reads an answer of 2xx to its end. */
  read(response: HttpResponse, address: string): Promise<T>;
  /** What an answer other than 2xx means, where this call knows better than its status: an error to throw, or nothing. */
  errorFor?(response: ErrorResponse): Error | undefined;
}

export interface ServiceCallsParts {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly retrier: Retrier;
  readonly clock: ServiceClock;
  readonly userAgent?: string;
}

/** Makes calls to one service, each with its retries, and turns refusals into errors. */
export class ServiceCalls {
  readonly baseUrl: string;
  readonly clock: ServiceClock;
  readonly #http: HttpClient;
  readonly #retrier: Retrier;
  readonly #userAgent: string | undefined;

  constructor(parts: ServiceCallsParts) {
    this.baseUrl = parseBaseUrl(parts.baseUrl);
    this.#http = parts.http;
    this.#retrier = parts.retrier;
    this.clock = parts.clock;
    this.#userAgent = parts.userAgent;
  }

  /** @param token the bearer token, where the call carries one */
  call<T>(call: ServiceCall<T>, token?: string): Promise<T> {
    if (!call.once) return this.#retrier.run(() => this.#try(call, token), call.patience ?? call.signal);
    return this.#try(call, token).catch((error: unknown) => {
      throw error instanceof RetryableFailure ? error.outcome : error;
    });
  }

  async #try<T>(call: ServiceCall<T>, token: string | undefined): Promise<T> {
    const address = this.baseUrl + call.path.split('?')[0]!;
    try {
      const response = await this.#http.request(this.#requestOf(call, token));
      this.clock.observe(response.headers['date']);
      if (response.status >= 200 && response.status < 300) return await call.read(response, address);
      const refusal = await readErrorResponse(response, address, this.clock.now());
      throw call.errorFor?.(refusal) ?? errorForResponse(refusal);
    } catch (error) {
      throw errorForFailure(error);
    }
  }

  #requestOf(call: ServiceCall<unknown>, token: string | undefined): HttpRequest {
    const body = call.json ? JSON.stringify(call.json()) : call.body;
    return {
      method: call.method,
      url: this.baseUrl + call.path,
      headers: {
        accept: 'application/json',
        ...(this.#userAgent === undefined ? {} : { 'user-agent': this.#userAgent }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body }),
      ...(call.signal ? { signal: call.signal } : {}),
      ...(call.stallTimeoutMs === undefined ? {} : { stallTimeoutMs: call.stallTimeoutMs }),
    };
  }
}

/** A base address without a slash at its end; `usage` where the text is no http(s) address, or more than one. */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const surplus = url && url.search + url.hash + url.username + url.password !== '';
  if (!url || surplus || !['http:', 'https:'].includes(url.protocol)) {
    throw wrongUsage({ problem: 'service-address', address: text, expected: 'http:// or https://' });
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
