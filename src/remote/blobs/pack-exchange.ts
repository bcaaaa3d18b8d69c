import { packResponse } from '../../protocol/bodies/blob-pack.ts';
import { jsonResponse } from '../client/responses.ts';
import type { HttpRequest, HttpResponse } from '../http/http-client.ts';
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { StorageExchange, usableUntil, type StorageParts } from './storage-exchange.ts';

interface PackAddress {
  readonly sessionId: string;
  readonly url: string;
  readonly usableUntil: number;
}

/** The endpoint that presigns packs, and the request field that holds the session. */
export interface PackEndpoint {
  readonly path: string;
  readonly sessionField: 'session_id' | 'restore_session_id';
}

/** Sends packs to the presigned address of a session, which is valid for all of them until it expires. */
export class PackExchange {
  readonly #parts: StorageParts;
  readonly #endpoint: PackEndpoint;
  readonly #exchange: StorageExchange;
  #address: PackAddress | undefined;

  constructor(parts: StorageParts, endpoint: PackEndpoint, concurrency: AdaptiveConcurrency) {
    this.#parts = parts;
    this.#endpoint = endpoint;
    this.#exchange = new StorageExchange(parts, concurrency, { endpoint: endpoint.path, field: 'url' });
  }

  /**
   * Sends one pack and repeats it until it succeeds.
   *
   * @param request makes the request of each attempt
   * @param read reads a 2xx response to its end
   */
  send<T>(
    sessionId: string,
    request: () => Pick<HttpRequest, 'headers' | 'body'>,
    read: (response: HttpResponse, origin: string) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#exchange.run(async () => {
      const { url } = await this.#addressFor(sessionId, signal);
      const outcome = await this.#exchange.request({ ...request(), method: 'POST', url, signal }, (response, origin) =>
        response.status >= 200 && response.status < 300
          ? read(response, origin).then((value) => ({ value }))
          : undefined,
      );
      if ('error' in outcome && outcome.isAddressRejected) this.#address = undefined;
      return outcome;
    }, signal);
  }

  async #addressFor(sessionId: string, signal: AbortSignal): Promise<PackAddress> {
    const known = this.#address;
    if (known?.sessionId === sessionId && this.#parts.clock.now() < known.usableUntil) return known;
    const { path, sessionField } = this.#endpoint;
    return this.#parts.calls.call({
      method: 'POST',
      path,
      json: () => ({ [sessionField]: sessionId }),
      signal,
      read: async (response, address) => {
        const { url, expires_in: expiresIn } = await jsonResponse(packResponse)(response, address);
        return (this.#address = { sessionId, url, usableUntil: usableUntil(expiresIn, this.#parts.clock) });
      },
    });
  }
}
