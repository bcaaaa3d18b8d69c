import type { BackupPresignRequest } from '../../protocol/backup.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { BACKUP_PRESIGN_BATCH } from '../../protocol/extensions.ts';
import { uploadAnswer, uploadsAnswer, type UploadAnswer } from '../client/answers.ts';
import { brokenResponse, jsonResponse } from '../client/responses.ts';
import type { BlobUploader, NewBlobs, SealedBlob, ServiceClient } from '../ports.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError } from './all-or-first-error.ts';
import { StorageExchange, usableUntil, type StorageOutcome, type StorageParts } from './storage-exchange.ts';

export interface UploaderParts extends StorageParts {
  readonly service: Pick<ServiceClient, 'capabilities'>;
}

type DescribedChunk = Omit<BackupPresignRequest, 'session_id'>;

/** A presigned PUT for one blob, with its expiry. */
interface UploadAddress {
  readonly presign: UploadAnswer;
  readonly usableUntil: number;
}

/** Uploads blobs by PUT to presigned addresses, 4 to 16 at a time. */
export class PresignedUploader implements BlobUploader {
  readonly #parts: UploaderParts;
  readonly #puts: AdaptiveConcurrency;
  readonly #exchange: StorageExchange;

  constructor(parts: UploaderParts) {
    this.#parts = parts;
    this.#puts = new AdaptiveConcurrency({ least: 4, most: 16 }, parts.clock);
    this.#exchange = new StorageExchange(parts, this.#puts, { endpoint: ENDPOINTS.backupPresign, field: 'upload_url' });
  }

  get concurrency(): number {
    return this.#puts.limit;
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs> {
    const capabilities = await this.#parts.service.capabilities(signal);
    const batched = blobs.length > 1 && capabilities.has('backup.presign.batch');
    const stored = { blobs: 0, bytes: 0, plaintextBytes: 0 };
    for (let from = 0; from < blobs.length; from += BACKUP_PRESIGN_BATCH) {
      const part = blobs.slice(from, from + BACKUP_PRESIGN_BATCH);
      const addresses = batched ? await this.#presignBatch(sessionId, part, signal) : undefined;
      const store = async (blob: SealedBlob, inner: AbortSignal): Promise<void> => {
        const address = addresses?.get(blob.hash);
        if (address === 'stored') return;
        if (!(await this.#puts.run(() => this.#store(sessionId, blob, address, inner), inner))) return;
        stored.blobs += 1;
        stored.bytes += blob.bytes.length;
        stored.plaintextBytes += blob.size;
      };
      await allOrFirstError(part, store, signal);
    }
    return stored;
  }

  /** Repeats presign and PUT until the storage has the blob. Returns whether this upload stored it. */
  async #store(
    sessionId: string,
    blob: SealedBlob,
    given: UploadAddress | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    let unused = given;
    const isNew = await this.#exchange.run(async (attempt) => {
      const usable = unused && this.#parts.clock.now() < unused.usableUntil ? unused : undefined;
      unused = undefined;
      const address = usable ?? (await this.#presign(sessionId, blob, signal));
      return address === 'stored' ? { value: false } : await this.#put(address.presign, blob, attempt, signal);
    }, signal);
    this.#puts.succeeded(blob.bytes.length);
    return isNew;
  }

  #put(
    { upload_url: url, headers }: UploadAnswer,
    { bytes: body }: SealedBlob,
    attempt: number,
    signal: AbortSignal,
  ): Promise<StorageOutcome<boolean>> {
    return this.#exchange.request({ method: 'PUT', url, headers, body, signal }, (response) => {
      // 412 is If-None-Match: the storage has this blob. It may come from an earlier attempt whose response was lost.
      const isThere = response.status === 412;
      if (!isThere && (response.status < 200 || response.status >= 300)) return undefined;
      return response.discard().then(() => ({ value: !isThere || attempt > 1 }));
    });
  }

  async #presign(sessionId: string, blob: SealedBlob, signal: AbortSignal): Promise<UploadAddress | 'stored'> {
    try {
      const chunk = await this.#described(blob, signal);
      return await this.#parts.calls.call({
        method: 'POST',
        path: ENDPOINTS.backupPresign,
        json: () => ({ session_id: sessionId, ...chunk }),
        signal,
        read: async (response, address) =>
          this.#validated(await jsonResponse(uploadAnswer)(response, address), blob, address),
        errorFor: ({ status, code }) => (status === 409 && code === 'blob_exists' ? new AlreadyStored() : undefined),
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
    const chunks = await Promise.all(blobs.map((blob) => this.#described(blob, signal)));
    const byHash = new Map(blobs.map((blob) => [blob.hash, blob]));
    return this.#parts.calls.call({
      method: 'POST',
      path: ENDPOINTS.backupPresign,
      json: () => ({
        session_id: sessionId,
        chunks,
      }),
      signal,
      read: async (response, address) => {
        const { uploads, stored } = await jsonResponse(uploadsAnswer)(response, address);
        const addresses = new Map<string, UploadAddress | 'stored'>(stored.map((hash) => [hash, 'stored']));
        for (const { chunk_hash: hash, ...presign } of uploads) {
          const blob = byHash.get(hash);
          // A chunk whose address is wrong is presigned by itself.
          if (blob && !problemOf(presign, blob)) addresses.set(hash, this.#addressOf(presign));
        }
        return addresses;
      },
    });
  }

  /** Only sessions of the extension `backup.open` need the plaintext's size; for others, the manifest has it. */
  async #described(blob: SealedBlob, signal: AbortSignal | undefined): Promise<DescribedChunk> {
    const { hash, bytes, size } = blob;
    const capabilities = await this.#parts.service.capabilities(signal);
    const described = { chunk_hash: hash, chunk_size: bytes.length };
    return capabilities.has('backup.open') ? { ...described, plaintext_size: size } : described;
  }

  /** @throws HoldfastError `service_broken` for an address that cannot be used as the service says */
  #validated(presign: UploadAnswer, blob: SealedBlob, address: string): UploadAddress {
    const problem = problemOf(presign, blob);
    if (problem) throw brokenResponse(address, problem);
    return this.#addressOf(presign);
  }

  #addressOf(presign: UploadAnswer): UploadAddress {
    return { presign, usableUntil: usableUntil(presign.expires_in, this.#parts.clock) };
  }
}

function problemOf(
  { method, headers }: UploadAnswer,
  { bytes }: SealedBlob,
): Readonly<Record<string, string | number>> | undefined {
  if (method.toUpperCase() !== 'PUT') return { field: 'method', detail: 'expected PUT' };
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === 'content-length' && Number(value) !== bytes.length) {
      return { field: 'headers.Content-Length', claimed: value, arrived: bytes.length };
    }
    if (!isSendable(name, value)) return { field: `headers.${name}`, detail: 'cannot be sent' };
  }
  return undefined;
}

/** Headers that object storages ask for: of the content, of a condition, and their own. */
const STORAGE_HEADER =
  /^(?:cache-control|content-(?:disposition|encoding|language|length|md5|type)|expires|if-none-match|x-(?:amz|cos|goog|ms|obs|oss)-[\w-]+)$/i;

/** Accepts what a storage may need. With any other header a service could give orders to whatever is at the address. */
function isSendable(name: string, value: string): boolean {
  return STORAGE_HEADER.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

class AlreadyStored extends Error {
  override readonly name = 'AlreadyStored';
}
