import { MOST_PACKED_BLOBS, PACK_MEDIA_TYPE, packIndex, readPackIndex } from '../../protocol/bodies/blob-pack.ts';
import type { PackEntry } from '../../protocol/bodies/blob-pack.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';
import { someAtOnceOrFirstError } from './all-or-first-error.ts';
import { brokenResponse } from '../client/responses.ts';
import { BodyReader } from '../http/body-reader.ts';
import { withLength } from '../http/http-body.ts';
import { PackExchange } from './pack-exchange.ts';
import type { HttpRequest, HttpResponse } from '../http/http-client.ts';
import type { BlobDownloader, ServiceClient } from '../ports.ts';
import { LARGEST_BLOB } from './blob-body.ts';
import type { UploaderParts } from './presigned-uploader.ts';
import { digestOf } from '../../format/chunks/digest.ts';
import { MIB } from '../../model/units.ts';

/** Target size of a pack. The number of its blobs is estimated from the last one's. */
const PACK_BYTES = 2 * MIB;
const FEWEST_PER_PACK = 4;
/** The next pack is requested while the last one arrives. */
const PACKS_AT_ONCE = 2;

type OnBlob = Parameters<BlobDownloader['download']>[2];

/** Downloads blobs in packs if the service is its own object storage, and else one by one. */
export class PackingDownloader implements BlobDownloader {
  readonly #service: Pick<ServiceClient, 'capabilities'>;
  readonly #singly: BlobDownloader;
  readonly #packs: AdaptiveConcurrency;
  readonly #exchange: PackExchange;
  #perPack = FEWEST_PER_PACK;

  constructor(parts: UploaderParts, singly: BlobDownloader) {
    this.#service = parts.service;
    this.#singly = singly;
    this.#packs = new AdaptiveConcurrency({ least: 4, most: 8 }, parts.clock);
    const endpoint = { path: ENDPOINTS.restorePack, sessionField: 'restore_session_id' } as const;
    this.#exchange = new PackExchange(parts, endpoint, this.#packs);
  }

  get concurrency(): number {
    return this.#packs.limit;
  }

  async download(sessionId: string, hashes: readonly string[], onBlob: OnBlob, signal?: AbortSignal): Promise<void> {
    const capabilities = await this.#service.capabilities(signal);
    if (!capabilities.has('restore.pack')) return this.#singly.download(sessionId, hashes, onBlob, signal);
    const fetch = (pack: readonly string[], inner: AbortSignal): Promise<void> =>
      this.#packs.run(() => this.#fetch(sessionId, pack, onBlob, inner), inner);
    await someAtOnceOrFirstError(PACKS_AT_ONCE, this.#packsOf(hashes), fetch, signal);
  }

  *#packsOf(hashes: readonly string[]): Generator<readonly string[]> {
    for (let from = 0; from < hashes.length;) {
      const pack = hashes.slice(from, from + this.#perPack);
      from += pack.length;
      yield pack;
    }
  }

  /** Downloads one pack. After a broken response only the blobs that did not arrive are requested again. */
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
    // Each attempt requests what is left.
    const request = (): Pick<HttpRequest, 'headers' | 'body'> => {
      const body = packIndex(left.map((hash) => ({ digest: digestOf(hash), bytes: 0, size: 0 })));
      return { headers: withLength({ 'content-type': PACK_MEDIA_TYPE }, body.length), body };
    };
    for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before;) {
      before = left.length;
      await this.#exchange.send(sessionId, request, read, signal).catch((error: unknown) => {
        // A connection that always breaks within a pack still makes progress.
        if (!(isHoldfastError(error) && error.retryable && left.length < before)) throw error;
      });
    }
    this.#packs.succeeded(bytes);
    const fitting = Math.floor((PACK_BYTES * pack.length) / Math.max(1, bytes));
    this.#perPack = Math.min(MOST_PACKED_BLOBS, Math.max(FEWEST_PER_PACK, fitting));
  }
}

/** Reads the lengths of the requested blobs, in their order. */
async function indexOf(body: BodyReader, asked: readonly string[]): Promise<readonly PackEntry[]> {
  const expected = packIndex(asked.map((hash) => ({ digest: digestOf(hash), bytes: 0, size: 0 })));
  const index = readPackIndex(await body.take(expected.length));
  const isAsked = ({ digest, bytes }: PackEntry, position: number): boolean =>
    bytes <= LARGEST_BLOB && digestOf(asked[position]!).equals(digest);
  if (index?.entries.length === asked.length && index.entries.every(isAsked)) return index.entries;
  throw brokenResponse(ENDPOINTS.restorePack, { field: 'index', detail: 'not what was asked for' });
}
