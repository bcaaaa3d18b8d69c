import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { RESTORE_PRESIGN_BATCH, restorePresignResponse } from '../../../protocol/restore.ts';
import type { PresignedDownload } from '../../../protocol/restore.ts';
import type { Clock } from '../../../base/clock.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError } from './all-or-first-error.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import type { HttpClient, HttpResponse } from '../http/http-client.ts';
import type { BlobDownloader } from '../ports.ts';
import { ADDRESS_REFUSED, originOf, storageRefusal, usableUntil } from './presigned-address.ts';
import { errorForFailure } from '../client/error-response.ts';
import { RetryableFailure } from '../http/retrier.ts';
import type { Retrier } from '../http/retrier.ts';

export interface PresignedDownloaderParts {
  readonly calls: AuthorisedCalls;
  /** Goes to the object storage: it adds no bearer token to anything. */
  readonly storage: HttpClient;
  readonly retrier: Retrier;
  readonly clock: Clock;
}

type OnBlob = (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>;

interface DownloadAddress {
  readonly url: string;
  readonly size: number;
  readonly usableUntil: number;
}

/** Far above the 4 MiB of our own chunks; it keeps a wrong size from taking the memory. */
export const LARGEST_BLOB = 256 * 2 ** 20;
/** The next batch is presigned while the last one is being downloaded. */
const BATCHES_AT_ONCE = 2;

/** Downloads blobs by GET from presigned addresses, 4 to 8 at a time as the interface recommends. */
export class PresignedDownloader implements BlobDownloader {
  readonly #parts: PresignedDownloaderParts;
  readonly #gets: AdaptiveConcurrency;

  constructor(parts: PresignedDownloaderParts) {
    this.#parts = parts;
    this.#gets = new AdaptiveConcurrency({ least: 4, most: 8 }, parts.clock);
  }

  get concurrency(): number {
    return this.#gets.limit;
  }

  async download(sessionId: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    const batches = batchesOf(hashes);
    const lane = async (_: number, inner: AbortSignal): Promise<void> => {
      for (const batch of batches) {
        inner.throwIfAborted();
        await this.#downloadBatch(sessionId, batch, onBlob, inner);
      }
    };
    await allOrFirstError(
      Array.from({ length: BATCHES_AT_ONCE }, (_, index) => index),
      lane,
      signal,
    );
  }

  async #downloadBatch(
    sessionId: string,
    batch: readonly string[],
    onBlob: OnBlob,
    signal: AbortSignal,
  ): Promise<void> {
    const addresses = await this.#presign(sessionId, batch, signal);
    const fetchOne = (hash: string, inner: AbortSignal): Promise<void> =>
      this.#gets.run(async () => {
        const bytes = await this.#fetch(sessionId, hash, addresses.get(hash), inner);
        if (bytes) this.#gets.succeeded(bytes.length);
        await onBlob(hash, bytes);
      }, inner);
    await allOrFirstError(batch, fetchOne, signal);
  }

  /** The blob, or nothing where the service or the storage has none. */
  async #fetch(
    sessionId: string,
    hash: string,
    given: DownloadAddress | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    let address = given;
    let wrongSize = false;
    let renewedAtOnce = false;
    return this.#parts.retrier.run(
      async () => {
        for (;;) {
          if (address && this.#parts.clock.now() >= address.usableUntil) {
            address = (await this.#presign(sessionId, [hash], signal)).get(hash);
          }
          if (!address) return undefined;
          const used = address;
          const { bytes, status, thrown } = await this.#get(used, signal);
          if (status === 404) return undefined;
          // Bytes of another length are asked for once more; then they are the caller's to judge.
          if (bytes && (bytes.length === used.size || wrongSize)) return bytes;
          if (bytes) {
            wrongSize = true;
            continue;
          }
          const refused = status !== undefined && ADDRESS_REFUSED.has(status);
          if (refused) address = { ...used, usableUntil: 0 };
          // The first expired address is no reason to wait; a storage that goes on refusing is.
          if (!refused || renewedAtOnce) throw thrown;
          renewedAtOnce = true;
        }
      },
      signal,
      'storage',
    );
  }

  async #get(
    address: DownloadAddress,
    signal: AbortSignal,
  ): Promise<{ readonly bytes?: Uint8Array; readonly status?: number; readonly thrown?: unknown }> {
    const origin = originOf(address.url, 'url', ENDPOINTS.restorePresign);
    try {
      const response = await this.#parts.storage.request({ method: 'GET', url: address.url, signal });
      if (response.status === 200) return { bytes: await readBlob(response, address.size) };
      if (response.status === 404) {
        await response.discard();
        return { status: 404 };
      }
      if (response.status >= 500 || response.status === 429) this.#gets.failed();
      return { status: response.status, thrown: await storageRefusal(response, origin, this.#parts.clock.now()) };
    } catch (error) {
      const thrown = errorForFailure(error);
      if (!(thrown instanceof RetryableFailure)) throw thrown;
      this.#gets.failed();
      return { thrown };
    }
  }

  #presign(
    sessionId: string,
    hashes: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, DownloadAddress>> {
    return this.#parts.calls.call({
      method: 'POST',
      path: ENDPOINTS.restorePresign,
      json: () => ({ restore_session_id: sessionId, chunk_hashes: hashes }),
      signal,
      read: async (response, address) => {
        const { downloads } = await jsonResponse(restorePresignResponse)(response, address);
        return new Map(downloads.map((download) => [download.hash, this.#addressOf(download, address)]));
      },
    });
  }

  #addressOf(download: PresignedDownload, address: string): DownloadAddress {
    if (download.size > LARGEST_BLOB)
      throw brokenResponse(address, { field: 'downloads.size', claimed: download.size });
    const until = usableUntil(download.expires_in, this.#parts.clock);
    return { url: download.url, size: download.size, usableUntil: until };
  }
}

function* batchesOf(hashes: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < hashes.length; from += RESTORE_PRESIGN_BATCH) {
    yield hashes.slice(from, from + RESTORE_PRESIGN_BATCH);
  }
}

/** The body in one piece of memory. One that is longer than `size` ends one byte behind it: it is wrong anyway. */
async function readBlob(response: HttpResponse, size: number): Promise<Uint8Array> {
  const blob = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for await (const part of response.body) {
    blob.set(part.subarray(0, size + 1 - length), length);
    length = Math.min(size + 1, length + part.length);
    if (length > size) break;
  }
  return blob.subarray(0, length);
}
