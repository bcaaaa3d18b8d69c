import {
  LARGEST_PACK,
  LARGEST_PACKED_BLOB,
  MOST_PACKED_BLOBS,
  PACK_MEDIA_TYPE,
  packIndex,
  packStored,
} from '../../protocol/bodies/blob-pack.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError } from './all-or-first-error.ts';
import { jsonResponse } from '../client/responses.ts';
import { PackExchange } from './pack-exchange.ts';
import type { UploaderParts } from './presigned-uploader.ts';
import type { BlobUploader, NewBlobs, SealedBlob, ServiceClient } from '../ports.ts';
import { digestOf } from '../../format/chunks/digest.ts';
import { KIB } from '../../model/units.ts';

/** Size of a pack: a quarter of what a service accepts, since a pack that fails is sent again as a whole. */
const PACK_BYTES = LARGEST_PACK / 4;
const LEAST_PACK_BYTES = 64 * KIB;

/** Sends small blobs in packs if the service is its own object storage, and all others one by one. */
export class PackingUploader implements BlobUploader {
  readonly #service: Pick<ServiceClient, 'capabilities'>;
  readonly #singly: BlobUploader;
  readonly #packs: AdaptiveConcurrency;
  readonly #exchange: PackExchange;
  #packBytes = PACK_BYTES;

  constructor(parts: UploaderParts, singly: BlobUploader) {
    this.#service = parts.service;
    this.#singly = singly;
    this.#packs = new AdaptiveConcurrency({ least: 4, most: 16 }, parts.clock);
    const endpoint = { path: ENDPOINTS.backupPack, sessionField: 'session_id' } as const;
    this.#exchange = new PackExchange(parts, endpoint, this.#packs);
  }

  get concurrency(): number {
    return Math.max(this.#packs.limit, this.#singly.concurrency);
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs> {
    const capabilities = await this.#service.capabilities(signal);
    if (!capabilities.has('backup.pack')) return this.#singly.upload(sessionId, blobs, signal);
    const isSmall = ({ bytes }: SealedBlob): boolean => bytes.length <= LARGEST_PACKED_BLOB;
    const works = packsOf(blobs.filter(isSmall), this.#packBytes).map(
      (pack) => (inner: AbortSignal) => this.#sendOrSplit(sessionId, pack, inner),
    );
    const large = blobs.filter((blob) => !isSmall(blob));
    if (large.length > 0) works.push((inner) => this.#singly.upload(sessionId, large, inner));
    const stored = { blobs: 0, bytes: 0, plaintextBytes: 0 };
    const run = async (work: (inner: AbortSignal) => Promise<NewBlobs>, inner: AbortSignal): Promise<void> => {
      const added = await work(inner);
      stored.blobs += added.blobs;
      stored.bytes += added.bytes;
      stored.plaintextBytes += added.plaintextBytes;
    };
    await allOrFirstError(works, run, signal);
    return stored;
  }

  /** Sends a pack. If the connection never lasts for it, its blobs are sent one by one. */
  async #sendOrSplit(sessionId: string, pack: readonly SealedBlob[], signal: AbortSignal): Promise<NewBlobs> {
    try {
      return await this.#packs.run(() => this.#send(sessionId, pack, signal), signal);
    } catch (error) {
      if (pack.length === 1 || !isConnectionReset(error)) throw error;
      this.#packBytes = Math.max(LEAST_PACK_BYTES, this.#packBytes / 4);
      return this.#singly.upload(sessionId, pack, signal);
    }
  }

  async #send(sessionId: string, pack: readonly SealedBlob[], signal: AbortSignal): Promise<NewBlobs> {
    const entries = pack.map(({ hash, bytes, size }) => ({
      digest: digestOf(hash),
      bytes: bytes.length,
      size,
    }));
    const index = packIndex(entries);
    const length = pack.reduce((sum, { bytes }) => sum + bytes.length, index.length);
    const headers = { 'content-type': PACK_MEDIA_TYPE, 'content-length': String(length) };
    const body = (): AsyncGenerator<Uint8Array> => partsOf(index, pack);
    const read = jsonResponse(packStored);
    const { plaintext_bytes: plaintextBytes, ...stored } = await this.#exchange.send(
      sessionId,
      () => ({ headers, body }),
      (response) => read(response, ENDPOINTS.backupPack),
      signal,
    );
    this.#packs.succeeded(length);
    return { ...stored, plaintextBytes };
  }
}

function isConnectionReset(error: unknown): boolean {
  return isHoldfastError(error, 'service_unreachable') && error.details['reason'] === 'reset';
}

function packsOf(blobs: readonly SealedBlob[], most: number): SealedBlob[][] {
  const packs: SealedBlob[][] = [];
  let bytes = 0;
  for (const blob of blobs) {
    const last = packs.at(-1);
    bytes += blob.bytes.length;
    if (last && last.length < MOST_PACKED_BLOBS && bytes <= most) {
      last.push(blob);
    } else {
      packs.push([blob]);
      bytes = blob.bytes.length;
    }
  }
  return packs;
}

/** Yields the index and the blobs. Blobs that are adjacent in memory form one part. */
async function* partsOf(index: Uint8Array, blobs: readonly SealedBlob[]): AsyncGenerator<Uint8Array> {
  yield index;
  let part = blobs[0]!.bytes;
  for (const { bytes } of blobs.slice(1)) {
    if (bytes.buffer === part.buffer && bytes.byteOffset === part.byteOffset + part.length) {
      part = new Uint8Array(part.buffer, part.byteOffset, part.length + bytes.length);
    } else {
      yield part;
      part = bytes;
    }
  }
  yield part;
}
