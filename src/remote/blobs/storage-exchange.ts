import type { Clock } from '../../base/clock.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import { errorForFailure, errorForResponse, readErrorResponse } from '../client/error-response.ts';
import { brokenResponse } from '../client/responses.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/http-client.ts';
import { requestFollowing } from '../http/redirects.ts';
import { RetryableFailure, type Retrier } from '../http/retrier.ts';
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { MINUTE } from '../../model/units.ts';

export interface StorageParts {
  readonly calls: AuthorisedCalls;
  /** Talks to the object storage. It adds no bearer token to requests. */
  readonly storage: HttpClient;
  readonly retrier: Retrier;
  readonly clock: Clock;
}

/** Result of one request to a presigned address. */
export type StorageOutcome<T> =
  | { readonly value: T }
  /** The address has expired or is wrong: presign again. */
  | { readonly error: unknown; readonly isAddressRejected: boolean };

/** A presigned address is replaced this long before it expires … */
const MARGIN_MS = MINUTE;

/** Characters of a signature or a token in an address. Shorter values are its version, its time or its algorithm. */
const SHORTEST_SECRET = 20;

/** Statuses by which storages reject an expired or wrong address; S3 uses 400 for some. */
const ADDRESS_REJECTED: ReadonlySet<number> = new Set([400, 401, 403]);

/** Until when a presigned address that was issued just now is used. */
export function usableUntil(expiresInSeconds: number, clock: Pick<Clock, 'now'>): number {
  const lifetime = expiresInSeconds * 1000;
  // … or, if addresses live for minutes only, in the last fifth of their life.
  return clock.now() + lifetime - Math.min(MARGIN_MS, lifetime / 5);
}

/** Sends requests to presigned addresses of one kind and reports their results to the concurrency limit. */
export class StorageExchange {
  readonly #parts: StorageParts;
  readonly #concurrency: AdaptiveConcurrency;
  readonly #endpoint: string;
  readonly #field: string;

  /** @param source the endpoint and the response field that addresses come from */
  constructor(
    parts: StorageParts,
    concurrency: AdaptiveConcurrency,
    source: { readonly endpoint: string; readonly field: string },
  ) {
    this.#parts = parts;
    this.#concurrency = concurrency;
    this.#endpoint = source.endpoint;
    this.#field = source.field;
  }

  /** Repeats an attempt until it succeeds. @param attempt is passed its number, from 1 */
  run<T>(attempt: (number: number) => Promise<StorageOutcome<T>>, signal: AbortSignal): Promise<T> {
    let hasRenewedAtOnce = false;
    const repeat = async (number: number): Promise<T> => {
      for (;;) {
        const outcome = await attempt(number);
        if ('value' in outcome) return outcome.value;
        // Only the first expired address is replaced without a pause.
        if (!outcome.isAddressRejected || hasRenewedAtOnce) throw outcome.error;
        hasRenewedAtOnce = true;
      }
    };
    return this.#parts.retrier.run(repeat, signal, 'storage');
  }

  /**
   * Sends one request.
   *
   * @param read reads an accepted response to its end; returns `undefined` for any other response, unread
   */
  async request<T>(
    request: HttpRequest,
    read: (response: HttpResponse, origin: string) => Promise<{ readonly value: T }> | undefined,
  ): Promise<StorageOutcome<T>> {
    const origin = this.#originOf(request.url);
    try {
      const response = await requestFollowing(this.#parts.storage, request);
      const accepted = read(response, origin);
      if (accepted) return await accepted;
      const isAddressRejected = ADDRESS_REJECTED.has(response.status);
      if (!isAddressRejected) this.#concurrency.failed();
      return { error: await storageError(response, request.url, this.#parts.clock.now()), isAddressRejected };
    } catch (failure) {
      const error = errorForFailure(failure);
      if (!(error instanceof RetryableFailure)) throw error;
      this.#concurrency.failed();
      return { error, isAddressRejected: false };
    }
  }

  /** The origin of a presigned address. The rest of it is a secret. */
  #originOf(url: string): string {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.origin;
    throw brokenResponse(this.#endpoint, { field: this.#field, detail: 'no http(s) address' });
  }
}

/** Converts an error response of the storage. Only a full storage and a body that is too large end the transfer. */
async function storageError(
  response: HttpResponse,
  url: string,
  now: number,
): Promise<RetryableFailure | HoldfastError> {
  const { origin, searchParams } = new URL(url);
  const secrets = [...searchParams.values()].filter((value) => value.length >= SHORTEST_SECRET);
  const refusal = await readErrorResponse(response, origin, now, secrets);
  const { status, code, detail, retryAfterMs } = refusal;
  if (status === 507 || status === 413) return errorForResponse(refusal);
  const details = { address: origin, status, reason: code ?? 'storage', detail };
  const error = new HoldfastError('service_error', details, { retryable: true });
  return new RetryableFailure('service_busy', true, error, retryAfterMs);
}
