import { HoldfastError } from '../../base/errors/errors.ts';
import type { ServiceCall, ServiceCalls } from './service-calls.ts';

/** Supplies the bearer token of control-plane calls. Concurrent callers share one renewal. */
export interface TokenSource {
  token(signal?: AbortSignal): Promise<string>;
  /**
   * Replaces a token that the service rejected with 401.
   *
   * @throws HoldfastError `signed_out` or `device_refused`
   */
  renew(rejected: string, signal?: AbortSignal): Promise<string>;
  /** Error code for a service that rejects even a new token of this source. */
  readonly rejectionCode: 'signed_out' | 'device_refused';
}

/** The service responded 401: the token is unknown or has expired. */
class TokenRejected extends Error {
  override readonly name = 'TokenRejected';
}

/** Calls with a bearer token. A 401 causes one renewal, shared by all calls in flight, and one more attempt. */
export class AuthorisedCalls {
  readonly #calls: ServiceCalls;
  readonly #tokens: TokenSource;

  constructor(calls: ServiceCalls, tokens: TokenSource) {
    this.#calls = calls;
    this.#tokens = tokens;
  }

  /** The base address of the service. */
  get address(): string {
    return this.#calls.baseUrl;
  }

  /** Milliseconds since the epoch, by the service's clock. */
  now(): number {
    return this.#calls.clock.now();
  }

  async call<T>(call: ServiceCall<T>): Promise<T> {
    const watched: ServiceCall<T> = {
      ...call,
      errorFor: (response) => (response.status === 401 ? new TokenRejected() : call.errorFor?.(response)),
    };
    const token = await this.#tokens.token(call.signal);
    try {
      return await this.#calls.call(watched, token);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
    }
    const renewed = await this.#tokens.renew(token, call.signal);
    try {
      return await this.#calls.call(watched, renewed);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      throw new HoldfastError(this.#tokens.rejectionCode, {
        address: this.#calls.baseUrl + call.path.split('?')[0]!,
        status: 401,
      });
    }
  }
}
