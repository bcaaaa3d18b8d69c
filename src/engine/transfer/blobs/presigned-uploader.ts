import { backupPresignResponse } from '../../../protocol/backup.ts';
import type { BackupPresignResponse } from '../../../protocol/backup.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { BACKUP_PRESIGN_BATCH, backupPresignBatchResponse } from '../../../protocol/extensions.ts';
import type { Clock } from '../../../base/clock.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError } from './all-or-first-error.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { BlobUploader, NewBlobs, SealedBlob, ServiceClient } from '../ports.ts';
import { ADDRESS_REFUSED, originOf, storageRefusal, usableUntil } from './presigned-address.ts';
import { errorForFailure } from '../client/error-response.ts';
import { RetryableFailure } from '../http/retrier.ts';
import type { Retrier } from '../http/retrier.ts';

export interface PresignedUploaderParts {
  readonly calls: AuthorisedCalls;
  readonly service: Pick<ServiceClient, 'capabilities'>;
  /** Goes to the object storage: it adds no bearer token to anything. */
  readonly storage: HttpClient;
  readonly retrier: Retrier;
  readonly clock: Clock;
}

/** Where one blob goes, and until when. */
interface UploadAddress {
  readonly presign: BackupPresignResponse;
  readonly usableUntil: number;
}

/** Uploads blobs by PUT to presigned addresses, 4 to 16 at a time. */
export class PresignedUploader implements BlobUploader {
  readonly #parts: PresignedUploaderParts;
  readonly #puts: AdaptiveConcurrency;

  constructor(parts: PresignedUploaderParts) {
    this.#parts = parts;
    this.#puts = new AdaptiveConcurrency({ least: 4, most: 16 }, parts.clock);
  }

  get concurrency(): number {
    return this.#puts.limit;
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs> {
    const capabilities = await this.#parts.service.capabilities(signal);
    const batched = blobs.length > 1 && capabilities.has('backup.presign.batch');
    const stored = { blobs: 0, bytes: 0 };
    for (let from = 0; from < blobs.length; from += BACKUP_PRESIGN_BATCH) {
      const part = blobs.slice(from, from + BACKUP_PRESIGN_BATCH);
      const addresses = batched ? await this.#presignBatch(sessionId, part, signal) : undefined;
      await allOrFirstError(
        part,
        async (blob, inner) => {
          const address = addresses?.get(blob.hash);
          if (address === 'stored') return;
          if (!(await this.#puts.run(() => this.#store(sessionId, blob, address, inner), inner))) return;
          stored.blobs += 1;
          stored.bytes += blob.bytes.length;
        },
        signal,
      );
    }
    return stored;
  }

  /**
   * Presigns, where there is no address that still serves, and PUTs, until the storage has the blob; answers whether it
   * came from us.
   */
  async #store(
    sessionId: string,
    blob: SealedBlob,
    given: UploadAddress | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    let unused = given;
    let renewedAtOnce = false;
    const isNew = await this.#parts.retrier.run(
      async (tries) => {
        for (;;) {
          const usable = unused && this.#parts.clock.now() < unused.usableUntil ? unused : undefined;
          unused = undefined;
          const address = usable ?? (await this.#presign(sessionId, blob, signal));
          if (address === 'stored') return false;
          const outcome = await this.#put(address.presign, blob, signal);
          if (outcome === 'stored') return true;
          // It may be ours nevertheless: from a try whose answer was lost.
          if (outcome === 'there') return tries > 1;
          // The first expired address is no reason to wait; a storage that goes on refusing is.
          if (!outcome.addressRefused || renewedAtOnce) throw outcome.thrown;
          renewedAtOnce = true;
        }
      },
      signal,
      'storage',
    );
    this.#puts.succeeded(blob.bytes.length);
    return isNew;
  }

  async #put(
    presign: BackupPresignResponse,
    blob: SealedBlob,
    signal: AbortSignal,
  ): Promise<'stored' | 'there' | { readonly thrown: unknown; readonly addressRefused: boolean }> {
    const origin = originOf(presign.upload_url, 'upload_url', ENDPOINTS.backupPresign);
    try {
      const response = await this.#parts.storage.request({
        method: 'PUT',
        url: presign.upload_url,
        headers: presign.headers,
        body: blob.bytes,
        signal,
      });
      // 412 is If-None-Match: the storage has this blob already.
      if ((response.status >= 200 && response.status < 300) || response.status === 412) {
        await response.discard();
        return response.status === 412 ? 'there' : 'stored';
      }
      const addressRefused = ADDRESS_REFUSED.has(response.status);
      if (!addressRefused) this.#puts.failed();
      return { thrown: await storageRefusal(response, origin, this.#parts.clock.now()), addressRefused };
    } catch (error) {
      const thrown = errorForFailure(error);
      if (!(thrown instanceof RetryableFailure)) throw thrown;
      this.#puts.failed();
      return { thrown, addressRefused: false };
    }
  }

  async #presign(sessionId: string, blob: SealedBlob, signal: AbortSignal): Promise<UploadAddress | 'stored'> {
    try {
      return await this.#parts.calls.call({
        method: 'POST',
        path: ENDPOINTS.backupPresign,
        json: () => ({ session_id: sessionId, chunk_hash: blob.hash, chunk_size: blob.bytes.length }),
        signal,
        read: async (response, address) =>
          this.#validated(await jsonResponse(backupPresignResponse)(response, address), blob, address),
        errorFor: (refusal) =>
          refusal.status === 409 && refusal.code === 'blob_exists' ? new AlreadyStored() : undefined,
      });
    } catch (error) {
      if (error instanceof AlreadyStored) return 'stored';
      throw error;
    }
  }

  async #presignBatch(
    sessionId: string,
    blobs: readonly SealedBlob[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, UploadAddress | 'stored'>> {
    const sizes = new Map(blobs.map((blob) => [blob.hash, blob]));
    return this.#parts.calls.call({
      method: 'POST',
      path: ENDPOINTS.backupPresign,
      json: () => ({
        session_id: sessionId,
        chunks: blobs.map((blob) => ({ chunk_hash: blob.hash, chunk_size: blob.bytes.length })),
      }),
      signal,
      read: async (response, address) => {
        const { uploads, stored = [] } = await jsonResponse(backupPresignBatchResponse)(response, address);
        const addresses = new Map<string, UploadAddress | 'stored'>(stored.map((hash) => [hash, 'stored']));
        for (const { chunk_hash: hash, ...presign } of uploads) {
          const blob = sizes.get(hash);
          if (blob) addresses.set(hash, this.#validated(presign, blob, address));
        }
        return addresses;
      },
    });
  }

  #validated(presign: BackupPresignResponse, blob: SealedBlob, address: string): UploadAddress {
    if (presign.method.toUpperCase() !== 'PUT')
      throw brokenResponse(address, { field: 'method', detail: 'expected PUT' });
    for (const [name, value] of Object.entries(presign.headers)) {
      if (name.toLowerCase() === 'content-length' && Number(value) !== blob.bytes.length) {
        throw brokenResponse(address, { field: 'headers.Content-Length', claimed: value, arrived: blob.bytes.length });
      }
      if (!isSendable(name, value))
        throw brokenResponse(address, { field: `headers.${name}`, detail: 'cannot be sent' });
    }
    return { presign, usableUntil: usableUntil(presign.expires_in, this.#parts.clock) };
  }
}

/** Headers of the connection are not the service's to choose (RFC 9110, sections 5.1, 5.5 and 7.6.1). */
function isSendable(name: string, value: string): boolean {
  if (/^(connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(name)) return false;
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

class AlreadyStored extends Error {
  override readonly name = 'AlreadyStored';
}
