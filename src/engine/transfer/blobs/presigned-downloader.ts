import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { RESTORE_PRESIGN_BATCH, restorePresignResponse, type PresignedDownload } from '../../../protocol/restore.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import type { HttpResponse } from '../http/http-client.ts';
import type { BlobDownloader } from '../ports.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError, someAtOnceOrFirstError } from './all-or-first-error.ts';
import { StorageExchange, usableUntil, type StorageParts } from './storage-exchange.ts';

type OnBlob = Parameters<BlobDownloader['download']>[2];

interface DownloadAddress {
  readonly url: string;
  readonly size: number;
  readonly usableUntil: number;
}

/** Bounds the memory that a wrong size can claim; far above the 4 MiB of Holdfast's own chunks. */
export const LARGEST_BLOB = 256 * 2 ** 20;
/** The next batch is presigned while the last one is being downloaded. */
const BATCHES_AT_ONCE = 2;

/** Downloads blobs by GET from presigned addresses, 4 to 8 at a time as the interface recommends. */
export class PresignedDownloader implements BlobDownloader {
  readonly #parts: StorageParts;
  readonly #gets: AdaptiveConcurrency;
  readonly #exchange: StorageExchange;

  constructor(parts: StorageParts) {
    this.#parts = parts;
    this.#gets = new AdaptiveConcurrency({ least: 4, most: 8 }, parts.clock);
    this.#exchange = new StorageExchange(parts, this.#gets, { endpoint: ENDPOINTS.restorePresign, field: 'url' });
  }

  get concurrency(): number {
    return this.#gets.limit;
  }

  async download(sessionId: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    const downloadBatch = async (batch: readonly string[], inner: AbortSignal): Promise<void> => {
      const addresses = await this.#presign(sessionId, batch, inner);
      const fetch = (hash: string, innermost: AbortSignal): Promise<void> =>
        this.#gets.run(async () => {
          const bytes = await this.#fetch(sessionId, hash, addresses.get(hash), innermost);
          if (bytes) this.#gets.succeeded(bytes.length);
          await onBlob(hash, bytes);
        }, innermost);
      await allOrFirstError(batch, fetch, inner);
    };
    await someAtOnceOrFirstError(BATCHES_AT_ONCE, batchesOf(hashes), downloadBatch, signal);
  }

  /** Returns the blob; `undefined` if the service or the storage has none. */
  #fetch(
    sessionId: string,
    hash: string,
    given: DownloadAddress | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    let address = given;
    let wasWrongSize = false;
    return this.#exchange.run(async () => {
      for (;;) {
        if (address && this.#parts.clock.now() >= address.usableUntil) {
          address = (await this.#presign(sessionId, [hash], signal)).get(hash);
        }
        if (!address) return { value: undefined };
        const { url, size } = address;
        const outcome = await this.#exchange.request({ method: 'GET', url, signal }, (response) =>
          readBlob(response, size),
        );
        if ('error' in outcome && outcome.isAddressRejected) address = { ...address, usableUntil: 0 };
        // Bytes of another length are requested once more. After that they are the caller's to judge.
        if (!('value' in outcome) || !outcome.value || outcome.value.length === size || wasWrongSize) return outcome;
        wasWrongSize = true;
      }
    }, signal);
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
    if (download.size > LARGEST_BLOB) {
      throw brokenResponse(address, { field: 'downloads.size', claimed: download.size });
    }
    const until = usableUntil(download.expires_in, this.#parts.clock);
    return { url: download.url, size: download.size, usableUntil: until };
  }
}

function* batchesOf(hashes: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < hashes.length; from += RESTORE_PRESIGN_BATCH) {
    yield hashes.slice(from, from + RESTORE_PRESIGN_BATCH);
  }
}

/** A blob, or `undefined` for one that the storage does not have. */
function readBlob(
  response: HttpResponse,
  size: number,
): Promise<{ readonly value: Uint8Array | undefined }> | undefined {
  if (response.status === 404) return response.discard().then(() => ({ value: undefined }));
  return response.status === 200 ? readBytes(response, size).then((value) => ({ value })) : undefined;
}

/** Reads the body into one piece of memory. Reading stops one byte past `size`, since the body is wrong then. */
async function readBytes(response: HttpResponse, size: number): Promise<Uint8Array> {
  const blob = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for await (const part of response.body) {
    blob.set(part.subarray(0, size + 1 - length), length);
    length = Math.min(size + 1, length + part.length);
    if (length > size) break;
  }
  return blob.subarray(0, length);
}
