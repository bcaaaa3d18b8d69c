import { packResponse } from '../../../protocol/blob-pack.ts';
import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors.ts';
import { jsonResponse } from '../client/responses.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/http-client.ts';
import { ADDRESS_REFUSED, originOf, storageRefusal, usableUntil } from './presigned-address.ts';
import { errorForFailure } from '../client/error-response.ts';
import { RetryableFailure } from '../http/retrier.ts';
import type { Retrier } from '../http/retrier.ts';

export interface PackParts {
  readonly calls: AuthorisedCalls;
  /** Goes to the object storage: it adds no bearer token to anything. */
  readonly storage: HttpClient;
  readonly retrier: Retrier;
  readonly clock: Clock;
}

interface PackAddress {
  readonly sessionId: string;
  readonly url: string;
  readonly usableUntil: number;
}

/** Sends packs to the presigned address of a session, which serves for all of them until it expires. */
export class PackAddresses {
  readonly #parts: PackParts;
  readonly #path: string;
  readonly #field: 'session_id' | 'restore_session_id';
  readonly #concurrency: AdaptiveConcurrency;
  #address: PackAddress | undefined;

  /** @param concurrency told how exchanges go */
  constructor(
    parts: PackParts,
    path: string,
    field: 'session_id' | 'restore_session_id',
    concurrency: AdaptiveConcurrency,
  ) {
    this.#parts = parts;
    this.#path = path;
    this.#field = field;
    this.#concurrency = concurrency;
  }

  /**
   * One pack, tried again until it got through.
   *
   * @param request makes the request of each try
   * @param read reads an answer of 2xx to its end
   */
  async exchange<T>(
    sessionId: string,
    request: () => Pick<HttpRequest, 'headers' | 'body'>,
    read: (response: HttpResponse, origin: string) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    let renewedAtOnce = false;
    return this.#parts.retrier.run(
      async () => {
        for (;;) {
          const { url } = await this.#addressFor(sessionId, signal);
          const outcome = await this.#try({ ...request(), method: 'POST', url, signal }, read);
          if ('value' in outcome) return outcome.value;
          if (outcome.addressRefused) this.#address = undefined;
          // The first expired address is no reason to wait; a storage that goes on refusing is.
          if (!outcome.addressRefused || renewedAtOnce) throw outcome.thrown;
          renewedAtOnce = true;
        }
      },
      signal,
      'storage',
    );
  }

  async #try<T>(
    request: HttpRequest,
    read: (response: HttpResponse, origin: string) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly thrown: unknown; readonly addressRefused: boolean }> {
    const origin = originOf(request.url, 'url', this.#path);
    try {
      const response = await this.#parts.storage.request(request);
      if (response.status >= 200 && response.status < 300) return { value: await read(response, origin) };
      const addressRefused = ADDRESS_REFUSED.has(response.status);
      if (!addressRefused) this.#concurrency.failed();
      return { thrown: await storageRefusal(response, origin, this.#parts.clock.now()), addressRefused };
    } catch (error) {
      const thrown = error instanceof HoldfastError ? error : errorForFailure(error);
      if (!(thrown instanceof RetryableFailure)) throw thrown;
      this.#concurrency.failed();
      return { thrown, addressRefused: false };
    }
  }

  async #addressFor(sessionId: string, signal: AbortSignal): Promise<PackAddress> {
    const known = this.#address;
    if (known?.sessionId === sessionId && this.#parts.clock.now() < known.usableUntil) return known;
    return this.#parts.calls.call({
      method: 'POST',
      path: this.#path,
      json: () => ({ [this.#field]: sessionId }),
      signal,
      read: async (response, address) => {
        const { url, expires_in: expiresIn } = await jsonResponse(packResponse)(response, address);
        return (this.#address = { sessionId, url, usableUntil: usableUntil(expiresIn, this.#parts.clock) });
      },
    });
  }
}
