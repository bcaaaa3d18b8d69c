import type { Clock } from '../../base/clock.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import type { AuthorisedCalls } from '../client/authorised-calls.ts';
import { downloadsAnswer } from '../client/answers.ts';
import { jsonResponse } from '../client/responses.ts';
import type { ServiceClient } from '../ports.ts';
import { LARGEST_BLOB } from './blob-body.ts';
import { usableUntil } from './storage-exchange.ts';

/** A presigned GET for one blob, with its expiry. */
export interface DownloadAddress {
  readonly url: string;
  /** Bytes of the blob, as the service says; `undefined` if it says nothing sensible. */
  readonly size: number | undefined;
  readonly usableUntil: number;
}

type Addresses = ReadonlyMap<string, DownloadAddress>;

/** The session in the place of one that the service no longer knows. */
interface ReopenedSession {
  readonly opening: Promise<string | undefined>;
  hasWorked: boolean;
}

export interface DownloadAddressesParts {
  readonly calls: AuthorisedCalls;
  readonly service: Pick<ServiceClient, 'reopenRestore'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The service no longer knows the restore session, or one of the chunks. */
const UNKNOWN: ReadonlySet<number | undefined> = new Set([404, 409, 410]);
/** Of several chunks, one may be wrong, or they are too many. */
const REFUSED: ReadonlySet<number | undefined> = new Set([...UNKNOWN, 400, 413, 422]);
/** Codes of services that know a session no more. */
const NO_SESSION =
  /^(?:restore_)?session_(?:unknown|not_found|missing|expired|ended|closed|gone|invalid)$|^(?:unknown|no|no_such|invalid|expired)_(?:restore_)?session$/i;
/** Of one chunk: the service does not have it. */
const LOST: ReadonlySet<number | undefined> = new Set([404, 410, 422]);

/**
 * Requests addresses for the blobs of restore sessions. What a service leaves out is requested again, a session that it no longer knows is
 * opened again, and a batch that it refuses is halved, until what is wrong stands alone.
 */
export class DownloadAddresses {
  readonly #parts: DownloadAddressesParts;
  /** By the session that is asked for. */
  readonly #reopened = new Map<string, ReopenedSession>();
  /** A chunk for which an address was given, by the session that is asked for. */
  readonly #served = new Map<string, string>();

  constructor(parts: DownloadAddressesParts) {
    this.#parts = parts;
  }

  /** Returns the addresses of those blobs that the service has. */
  async request(sessionId: string, hashes: readonly string[], signal: AbortSignal): Promise<Addresses> {
    const found = new Map<string, DownloadAddress>();
    let left = hashes;
    for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before;) {
      before = left.length;
      for (const [hash, address] of await this.#ofBatch(sessionId, left, signal)) found.set(hash, address);
      left = left.filter((hash) => !found.has(hash));
    }
    return found;
  }

  async #ofBatch(sessionId: string, hashes: readonly string[], signal: AbortSignal): Promise<Addresses> {
    const reopened = this.#reopened.get(sessionId);
    const session = (await reopened?.opening) ?? sessionId;
    try {
      const addresses = await this.#presign(session, hashes, signal);
      if (reopened) reopened.hasWorked = true;
      const [served] = addresses.keys();
      if (served !== undefined) this.#served.set(sessionId, served);
      return addresses;
    } catch (error) {
      const status = isHoldfastError(error, 'service_error') ? error.details.status : undefined;
      if (!REFUSED.has(status)) throw error;
      if (UNKNOWN.has(status) && (await this.#reopen(sessionId, session, signal))) {
        return await this.#ofBatch(sessionId, hashes, signal);
      }
      if (hashes.length > 1) return await this.#ofHalves(sessionId, hashes, signal);
      if (!LOST.has(status)) throw error;
      const refused = { session, hash: hashes[0]!, error };
      if (UNKNOWN.has(status) && (await this.#isForgotten(sessionId, refused, signal))) throw error;
      return new Map();
    }
  }

  /** Returns whether a service that refuses a chunk knows the session no more: its code says so, or it refuses a chunk that it gave an address for, too. */
  async #isForgotten(
    sessionId: string,
    { session, hash, error: first }: { readonly session: string; readonly hash: string; readonly error: unknown },
    signal: AbortSignal,
  ): Promise<boolean> {
    if (isHoldfastError(first, 'service_error') && NO_SESSION.test(first.details.reason ?? '')) return true;
    const served = this.#served.get(sessionId);
    if (served === undefined || served === hash) return false;
    try {
      await this.#presign(session, [served], signal);
      return false;
    } catch (error) {
      if (!isHoldfastError(error, 'service_error') || !UNKNOWN.has(error.details.status)) throw error;
      return true;
    }
  }

  async #ofHalves(sessionId: string, hashes: readonly string[], signal: AbortSignal): Promise<Addresses> {
    const middle = hashes.length >> 1;
    const first = await this.#ofBatch(sessionId, hashes.slice(0, middle), signal);
    return new Map([...first, ...(await this.#ofBatch(sessionId, hashes.slice(middle), signal))]);
  }

  /**
   * Opens another session in the place of one that was refused. Returns whether there is another one by now. One that has never worked is not
   * replaced.
   */
  async #reopen(sessionId: string, refused: string, signal: AbortSignal): Promise<boolean> {
    const before = this.#reopened.get(sessionId);
    if (before && ((await before.opening) ?? sessionId) !== refused) return true;
    // Another call may have opened one meanwhile.
    if (this.#reopened.get(sessionId) !== before) return await this.#reopen(sessionId, refused, signal);
    if (before?.hasWorked === false) return false;
    const opening = this.#parts.service.reopenRestore?.(sessionId, signal) ?? Promise.resolve(undefined);
    this.#reopened.set(sessionId, { opening, hasWorked: false });
    // An attempt that failed is not the last one.
    opening.catch(() => this.#reopened.delete(sessionId));
    return (await opening) !== undefined;
  }

  #presign(sessionId: string, hashes: readonly string[], signal: AbortSignal): Promise<Addresses> {
    return this.#parts.calls.call({
      method: 'POST',
      path: ENDPOINTS.restorePresign,
      json: () => ({ restore_session_id: sessionId, chunk_hashes: hashes }),
      signal,
      read: async (response, address) => {
        const { downloads } = await jsonResponse(downloadsAnswer)(response, address);
        return new Map(
          downloads.map(({ hash, url, size, expires_in: seconds }) => {
            const until = usableUntil(seconds, this.#parts.clock);
            return [
              hash,
              { url, size: size !== undefined && size <= LARGEST_BLOB ? size : undefined, usableUntil: until },
            ];
          }),
        );
      },
    });
  }
}
