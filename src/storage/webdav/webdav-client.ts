import type { Clock } from '../../base/clock.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../remote/http/http-client.ts';
import { BodyTooLarge } from '../../remote/http/http-body.ts';
import { HttpFailure } from '../../remote/http/http-failure.ts';
import { parseRetryAfter, RetryableFailure, type Retrier } from '../../remote/http/retrier.ts';
import { storageRetrier, unreached, type StorageParts } from '../retries.ts';
import { authorizeFor, type Authorize, type WebdavCredentials } from './authorization.ts';
import type { Space } from '../storage.ts';
import { davEntries, PROPERTIES, QUOTA_PROPERTIES, spaceOf, type DavEntry } from './multistatus.ts';
import { XmlError } from './xml-elements.ts';
import { MIB } from '../../model/units.ts';

/** Statuses after which the same request may succeed: 423 is a lock of another request. */
const TRANSIENT = new Set([408, 423, 425, 429, 500, 502, 503, 504]);

/** The longest listing of a folder that is accepted: some hundred thousand entries. */
const LONGEST_LISTING = 128 * MIB;

export interface DavResponse {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly body: Uint8Array;
}

export type DavRequest = Pick<HttpRequest, 'method' | 'headers' | 'body' | 'signal'>;

export interface WebdavServer {
  /** URL of the repository's folder, which ends with a slash. */
  readonly root: URL;
  /** The address that people know. */
  readonly address: string;
  readonly credentials: WebdavCredentials | undefined;
  readonly http: HttpClient;
}

/** Requests to a WebDAV server: signed in, repeated when that may help, with network errors translated. */
export class WebdavClient {
  readonly #root: URL;
  readonly #address: string;
  readonly #credentials: WebdavCredentials | undefined;
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly #retrier: Retrier;
  #authorize: Authorize | undefined;
  #signingIn: Promise<void> | undefined;

  constructor({ root, address, credentials, http }: WebdavServer, parts: StorageParts) {
    this.#root = root;
    this.#address = address;
    this.#credentials = credentials;
    this.#http = http;
    this.#clock = parts.clock;
    this.#retrier = storageRetrier(parts);
  }

  urlOf(name: string): string {
    return new URL(name, this.#root).href;
  }

  /**
   * Repeats a call of several requests.
   *
   * @throws HoldfastError; the signal's reason
   */
  repeat<Result>(call: (attempt: number) => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    return this.#retrier.run((attempt) => this.#attempt(() => call(attempt), signal), signal);
  }

  /** Like `repeat`, with one attempt. */
  once<Result>(call: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    return this.#retrier.once(() => this.#attempt(call, signal));
  }

  async #attempt<Result>(call: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    try {
      await this.#signIn();
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#translated(error);
    }
  }

  /** Sends a request and reads the response. @throws RetryableFailure for a transient status */
  async send(name: string, request: DavRequest, limit?: number): Promise<DavResponse> {
    let response = await this.#exchange(name, request, limit);
    // A digest's nonce expires.
    if (response.status === 401 && this.#accept(response)) response = await this.#exchange(name, request, limit);
    if (response.status === 401) {
      const details = { address: this.#address, status: 401, reason: 'authentication' };
      throw new HoldfastError('permission_denied', details);
    }
    if (!TRANSIENT.has(response.status)) return response;
    const error = new HoldfastError('service_broken', { address: this.#address, status: response.status });
    const pause = parseRetryAfter(response.headers['retry-after'], this.#clock.now());
    throw new RetryableFailure('service_busy', true, error, pause);
  }

  /** Returns a folder's entries, its own among them, or a file's entry; `undefined` if it does not exist. */
  async properties(name: string, depth: 0 | 1, signal?: AbortSignal): Promise<readonly DavEntry[] | undefined> {
    const response = await this.#propfind(name, depth, PROPERTIES, signal);
    if (response.status === 404) return undefined;
    // Apache's status for a name below a file.
    if (response.status === 400 && (await this.#isBelowFile(name, signal))) return undefined;
    if (response.status !== 207) throw this.unexpected(response);
    const entries = [...davEntries(new TextDecoder().decode(response.body))];
    // Even an empty folder has an entry of its own.
    if (entries.length === 0) throw this.strange();
    return entries;
  }

  /** Returns the space of the repository's folder; `undefined` if the server does not say. */
  async space(signal?: AbortSignal): Promise<Space | undefined> {
    const { status, body } = await this.#propfind('', 0, QUOTA_PROPERTIES, signal);
    if (status !== 207) return undefined;
    const [entry] = davEntries(new TextDecoder().decode(body));
    return entry && spaceOf(entry);
  }

  #propfind(name: string, depth: 0 | 1, body: string, signal: AbortSignal | undefined): Promise<DavResponse> {
    const headers = { depth: String(depth), 'content-type': 'application/xml; charset=utf-8' };
    return this.send(name, { method: 'PROPFIND', headers, body, ...(signal && { signal }) }, LONGEST_LISTING);
  }

  /** Returns whether one of the folders above a name is a file. */
  async #isBelowFile(name: string, signal: AbortSignal | undefined): Promise<boolean> {
    const above = name.replace(/\/$/, '').split('/');
    if (!name.endsWith('/')) above.pop();
    if (above.length === 0) return false;
    const [entry] = (await this.properties(above.join('/'), 0, signal)) ?? [];
    return entry === undefined || !entry.isFolder;
  }

  unexpected({ status }: DavResponse): HoldfastError {
    const address = this.#address;
    switch (status) {
      case 403:
        return new HoldfastError('permission_denied', { address, status });
      case 507:
        return new HoldfastError('destination_full', { directory: address, status });
      default:
        // A success of another kind is none of the server's.
        return status < 300 ? this.strange() : new HoldfastError('service_broken', { address, status });
    }
  }

  /** Something else than the server has answered, such as a proxy or the sign-in page of a network. */
  strange(): HoldfastError {
    return new HoldfastError('service_broken', { address: this.#address, detail: 'an answer of something else' });
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Finds out once how to sign in, before a body is sent in vain or a password in the clear. */
  #signIn(): Promise<void> {
    if (!this.#credentials) return Promise.resolve();
    this.#signingIn ??= (async () => {
      const request = { method: 'PROPFIND', headers: { depth: '0' }, body: PROPERTIES } as const;
      const response = await this.#exchange('', request);
      if (response.status === 401) this.#accept(response);
    })();
    this.#signingIn.catch(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** Returns whether the response has a challenge that can be answered. */
  #accept({ headers }: DavResponse): boolean {
    const challenge = headers['www-authenticate'];
    if (!this.#credentials || challenge === undefined) return false;
    this.#authorize = authorizeFor(challenge, this.#credentials);
    return this.#authorize !== undefined;
  }

  async #exchange(name: string, request: DavRequest, limit?: number): Promise<DavResponse> {
    const url = this.urlOf(name);
    const { pathname, search } = new URL(url);
    const authorization = this.#authorize?.(request.method, pathname + search);
    const headers = { ...request.headers, ...(authorization === undefined ? {} : { authorization }) };
    const response = await this.#http.request({ ...request, url, headers });
    return { status: response.status, headers: response.headers, body: await response.bytes(limit) };
  }

  #translated(error: unknown): unknown {
    const address = this.#address;
    if (error instanceof HttpFailure) {
      if (error.kind !== 'certificate' && error.kind !== 'tls') {
        return unreached({ address, reason: error.kind, isBroken: error.isBroken }, error);
      }
      return new HoldfastError('service_unreachable', { address, reason: error.kind }, { cause: error });
    }
    if (error instanceof XmlError || error instanceof BodyTooLarge) {
      return new HoldfastError('service_broken', { address, detail: error.message }, { cause: error });
    }
    return error;
  }
}
