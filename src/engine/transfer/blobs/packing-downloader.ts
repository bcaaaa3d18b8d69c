import { MOST_PACKED_BLOBS, PACK_MEDIA_TYPE, packIndex, readPackIndex } from '../../../protocol/blob-pack.ts';
import type { PackEntry } from '../../../protocol/blob-pack.ts';
import { hexDigestOf } from '../../../protocol/chunk.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { allOrFirstError } from './all-or-first-error.ts';
import { brokenResponse } from '../client/responses.ts';
import { BodyReader } from '../http/body-reader.ts';
import { withLength } from '../http/http-body.ts';
import { PackAddresses } from './pack-addresses.ts';
import type { PackParts } from './pack-addresses.ts';
import type { HttpRequest, HttpResponse } from '../http/http-client.ts';
import type { BlobDownloader, ServiceClient } from '../ports.ts';
import { LARGEST_BLOB } from './presigned-downloader.ts';

/** Bytes that are asked for at once, by the sizes of those before. */
const PACK_BYTES = 2 * 1024 * 1024;
const FEWEST_PER_PACK = 4;
/** The next pack is asked for while the last one arrives. */
const PACKS_AT_ONCE = 2;

type OnBlob = Parameters<BlobDownloader['download']>[2];

/** Fetches blobs many at a time, where the service is its own object storage; else as they ever were. */
export class PackingDownloader implements BlobDownloader {
  readonly #service: Pick<ServiceClient, 'capabilities'>;
  readonly #singly: BlobDownloader;
  readonly #packs: AdaptiveConcurrency;
  readonly #addresses: PackAddresses;
  #perPack = FEWEST_PER_PACK;

  constructor(parts: PackParts & { readonly service: Pick<ServiceClient, 'capabilities'> }, singly: BlobDownloader) {
    this.#service = parts.service;
    this.#singly = singly;
    this.#packs = new AdaptiveConcurrency({ least: 4, most: 8 }, parts.clock);
    this.#addresses = new PackAddresses(parts, ENDPOINTS.restorePack, 'restore_session_id', this.#packs);
  }

  get concurrency(): number {
    return this.#packs.limit;
  }

  async download(sessionId: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    const capabilities = await this.#service.capabilities(signal);
    if (!capabilities.has('restore.pack')) return this.#singly.download(sessionId, hashes, onBlob, signal);
    const packs = this.#packsOf(hashes);
    const lane = async (_: number, inner: AbortSignal): Promise<void> => {
      for (const pack of packs) {
        inner.throwIfAborted();
        await this.#packs.run(() => this.#fetch(sessionId, pack, onBlob, inner), inner);
      }
    };
    await allOrFirstError(
      Array.from({ length: PACKS_AT_ONCE }, (_, index) => index),
      lane,
      signal,
    );
  }

  *#packsOf(hashes: readonly string[]): Generator<readonly string[]> {
    for (let from = 0; from < hashes.length;) {
      const pack = hashes.slice(from, from + this.#perPack);
      from += pack.length;
      yield pack;
    }
  }

  /** What was handed over before an answer broke off is not asked for again. */
  async #fetch(sessionId: string, pack: readonly string[], onBlob: OnBlob, signal: AbortSignal): Promise<void> {
    const left = [...pack];
    let bytes = 0;
    const read = async (response: HttpResponse, origin: string): Promise<void> => {
      await using body = new BodyReader(response.body, origin);
      for (const entry of await indexOf(body, left)) {
        const blob = entry.bytes === 0 ? undefined : await body.take(entry.bytes);
        bytes += entry.bytes;
        await onBlob(left.shift()!, blob);
      }
      await body.end();
    };
    // Each try asks for what is left then.
    const request = (): Pick<HttpRequest, 'headers' | 'body'> => {
      const body = packIndex(left.map((hash) => ({ digest: digestOf(hash), bytes: 0 })));
      return { headers: withLength({ 'content-type': PACK_MEDIA_TYPE }, body.length), body };
    };
    for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before;) {
      before = left.length;
      await this.#addresses.exchange(sessionId, request, read, signal).catch((error: unknown) => {
        // A connection that always breaks somewhere in a pack gets on all the same.
        if (!(isHoldfastError(error) && error.retryable && left.length < before)) throw error;
      });
    }
    this.#packs.succeeded(bytes);
    const fitting = Math.floor((PACK_BYTES * pack.length) / Math.max(1, bytes));
    this.#perPack = Math.min(MOST_PACKED_BLOBS, Math.max(FEWEST_PER_PACK, fitting));
  }
}

/** The lengths of the blobs that were asked for, in their order. */
async function indexOf(body: BodyReader, asked: readonly string[]): Promise<readonly PackEntry[]> {
  const expected = packIndex(asked.map((hash) => ({ digest: digestOf(hash), bytes: 0 })));
  const index = readPackIndex(await body.take(expected.length));
  const isAsked = ({ digest, bytes }: PackEntry, position: number): boolean =>
    bytes <= LARGEST_BLOB && digestOf(asked[position]!).equals(digest);
  if (index?.entries.length === asked.length && index.entries.every(isAsked)) return index.entries;
  throw brokenResponse(ENDPOINTS.restorePack, { field: 'index', detail: 'not what was asked for' });
}

function digestOf(hash: string): Buffer {
  return Buffer.from(hexDigestOf(hash), 'hex');
}
