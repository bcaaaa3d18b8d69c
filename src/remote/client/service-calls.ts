import { wrongUsage } from '../../base/errors/errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/http-client.ts';
import { readErrorResponse, errorForResponse, errorForFailure } from './error-response.ts';
import type { ErrorResponse, SentSecrets } from './error-response.ts';
import type { Retrier } from '../http/retrier.ts';
import type { ServiceClock } from './service-clock.ts';

/** One call of the control plane. Parts that each attempt makes anew are functions. */
export interface ServiceCall<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the base address, with its query. */
  readonly path: string;
  /** Makes the JSON body. */
  readonly json?: () => unknown;
  /** A streamed body instead of `json`. */
  readonly body?: () => AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stallTimeoutMs?: number;
  /** Aborts the call at any point. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call between two attempts, so that none is cut off. Replaces `signal`. */
  readonly stopRetrying?: AbortSignal;
  /** The body is a sign-in: nothing that the service says of it is repeated. */
  readonly isSignIn?: true;
  /** Disables retries. */
  readonly once?: boolean;
  /** Reads a 2xx response to its end. */
  read(response: HttpResponse, address: string): Promise<T>;
  /** Returns the error for a response other than 2xx, or `undefined` for the default of its status. */
  errorFor?(response: ErrorResponse): Error | undefined;
}

export interface ServiceCallsParts {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly retrier: Retrier;
  readonly clock: ServiceClock;
  readonly userAgent?: string;
}

/** Makes calls to one service, with retries, and converts error responses. */
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

  /** @param token bearer token */
  call<T>(call: ServiceCall<T>, token?: string): Promise<T> {
    if (!call.once) return this.#retrier.run(() => this.#try(call, token), call.stopRetrying ?? call.signal);
    return this.#retrier.once(() => this.#try(call, token));
  }

  async #try<T>(call: ServiceCall<T>, token: string | undefined): Promise<T> {
    const address = this.baseUrl + call.path.split('?')[0]!;
    try {
      const response = await this.#http.request(this.#requestOf(call, token));
      this.clock.observe(response.headers['date']);
      if (response.status >= 200 && response.status < 300) return await call.read(response, address);
      const failed = await readErrorResponse(response, address, this.clock.now(), secretsOf(call, token));
      throw call.errorFor?.(failed) ?? errorForResponse(failed);
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

function secretsOf({ isSignIn }: ServiceCall<unknown>, token: string | undefined): SentSecrets {
  if (isSignIn) return 'everything';
  return token === undefined ? [] : [token];
}

/** Removes trailing slashes. @throws HoldfastError `usage` unless the text is an http(s) address without a query */
function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasMore = url && url.search + url.hash + url.username + url.password !== '';
  if (!url || hasMore || !['http:', 'https:'].includes(url.protocol)) {
    throw wrongUsage({ problem: 'service-address', address: text, expected: 'http:// or https://' });
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
