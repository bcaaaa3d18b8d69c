import { isHoldfastError } from '../../base/errors/errors.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { RESTORE_PRESIGN_BATCH } from '../../protocol/restore.ts';
import { isHtmlType } from '../client/error-response.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { RetryableFailure } from '../http/retrier.ts';
import type { BlobDownloader } from '../ports.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError, someAtOnceOrFirstError } from './all-or-first-error.ts';
import { fitsSize, readBlob } from './blob-body.ts';
import { DownloadAddresses, type DownloadAddress, type DownloadAddressesParts } from './download-addresses.ts';
import { StorageExchange, type StorageOutcome, type StorageParts } from './storage-exchange.ts';

type OnBlob = Parameters<BlobDownloader['download']>[2];

/** The next batch is presigned while the last one is being downloaded. */
const BATCHES_AT_ONCE = 2;
/** Addresses that a storage may refuse for one blob. Some refuse those of blobs that they do not have. */
const MOST_REFUSALS = 3;
/** Blobs in a row that a storage may fail to deliver before it counts as broken. */
const MOST_GIVEN_UP = 16;

/** Downloads blobs by GET from presigned addresses, 4 to 8 at a time as the interface recommends. */
export class PresignedDownloader implements BlobDownloader {
  readonly #clock: StorageParts['clock'];
  readonly #addresses: DownloadAddresses;
  readonly #gets: AdaptiveConcurrency;
  readonly #exchange: StorageExchange;
  /** Whether the storage has delivered any blob. */
  #hasDelivered = false;
  /** Blobs that were given up since the storage delivered one. */
  #givenUp = 0;

  constructor(parts: StorageParts & DownloadAddressesParts) {
    this.#clock = parts.clock;
    this.#addresses = new DownloadAddresses(parts);
    this.#gets = new AdaptiveConcurrency({ least: 4, most: 8 }, parts.clock);
    this.#exchange = new StorageExchange(parts, this.#gets, { endpoint: ENDPOINTS.restorePresign, field: 'url' });
  }

  get concurrency(): number {
    return this.#gets.limit;
  }

  async download(sessionId: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    const downloadBatch = async (batch: readonly string[], inner: AbortSignal): Promise<void> => {
      const addresses = await this.#addresses.request(sessionId, batch, inner);
      const fetch = (hash: string, innermost: AbortSignal): Promise<void> =>
        this.#gets.run(async () => {
          const bytes = await this.#fetchOrGiveUp(sessionId, hash, addresses.get(hash), innermost);
          if (bytes) this.#gets.succeeded(bytes.length);
          await onBlob(hash, bytes);
        }, innermost);
      await allOrFirstError(batch, fetch, inner);
    };
    await someAtOnceOrFirstError(BATCHES_AT_ONCE, batchesOf(hashes), downloadBatch, signal);
  }

  /** Returns the blob; `undefined` if the service or the storage has none, or delivers others and never this one. */
  async #fetchOrGiveUp(
    sessionId: string,
    hash: string,
    given: DownloadAddress | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    try {
      const blob = await this.#fetch(sessionId, hash, given, signal);
      if (blob) this.#hasDelivered = true;
      if (blob) this.#givenUp = 0;
      return blob;
    } catch (error) {
      const isOfBlob = isHoldfastError(error, 'service_error') && this.#hasDelivered;
      if (!isOfBlob || this.#givenUp >= MOST_GIVEN_UP) throw error;
      this.#givenUp += 1;
      return undefined;
    }
  }

  #fetch(
    sessionId: string,
    hash: string,
    given: DownloadAddress | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    let address = given;
    let wasWrongSize = false;
    let refusals = 0;
    return this.#exchange.run(async (): Promise<StorageOutcome<Uint8Array | undefined>> => {
      for (;;) {
        if (address && this.#clock.now() >= address.usableUntil) {
          address = (await this.#addresses.request(sessionId, [hash], signal)).get(hash);
        }
        if (!address) return { value: undefined };
        const { url, size } = address;
        const outcome = await this.#exchange.request({ method: 'GET', url, headers: AS_IT_IS, signal }, (response) =>
          readIfThere(response, size),
        );
        if ('error' in outcome) {
          if (isRefusal(outcome) && (refusals += 1) >= MOST_REFUSALS) throw outcome.error.error;
          if (outcome.isAddressRejected) address = { ...address, usableUntil: 0 };
          return outcome;
        }
        // Bytes of another length are requested once more. After that they are the caller's to judge.
        if (!outcome.value || fitsSize(outcome.value.length, size) || wasWrongSize) return outcome;
        wasWrongSize = true;
      }
    }, signal);
  }
}

const AS_IT_IS = { 'accept-encoding': 'identity' };

function* batchesOf(hashes: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < hashes.length; from += RESTORE_PRESIGN_BATCH) {
    yield hashes.slice(from, from + RESTORE_PRESIGN_BATCH);
  }
}

/** Returns whether a storage has answered that it does not deliver this blob, rather than that it cannot just now. */
function isRefusal(outcome: { readonly error: unknown }): outcome is { readonly error: RetryableFailure } {
  if (!(outcome.error instanceof RetryableFailure) || !isHoldfastError(outcome.error.error, 'service_error'))
    return false;
  const { status = 0 } = outcome.error.error.details;
  return status < 500 && ![408, 425, 429].includes(status);
}

/** Reads a blob, or `undefined` for one that the storage does not have. A web page is the answer of something else. */
function readIfThere(
  response: HttpResponse,
  size: number | undefined,
): Promise<{ readonly value: Uint8Array | undefined }> | undefined {
  const isGone = response.status === 404 || response.status === 410;
  if (isGone && !isHtmlType(response)) return response.discard().then(() => ({ value: undefined }));
  return response.status === 200 ? readBlob(response, size).then((value) => ({ value })) : undefined;
}
