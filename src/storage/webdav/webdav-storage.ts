import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { UndiciHttp } from '../../remote/http/undici-http.ts';
import type { HttpClient } from '../../remote/http/http-client.ts';
import { HttpFailure } from '../../remote/http/http-failure.ts';
import { CutOffFiles } from '../cut-off-files.ts';
import { listFolders, type FolderListing } from '../list-folders.ts';
import { joinParts } from '../join-parts.ts';
import { LeftOvers } from '../left-overs.ts';
import type { StorageParts } from '../retries.ts';
import type { ByteRange, Move, Obstacle, Space, Storage, StoredFile } from '../storage.ts';
import { checkName, checkPrefix, isStoredName, UNFINISHED } from '../stored-name.ts';
import type { OnUnreadable } from '../unreadable.ts';
import { isWebPage } from '../web-page.ts';
import type { WebdavCredentials } from './authorization.ts';
import type { DavEntry } from './multistatus.ts';
import { WebdavClient, type DavResponse } from './webdav-client.ts';

export interface WebdavConfig {
  /** The folder of the repository, without credentials. */
  readonly url: string;
  readonly credentials?: WebdavCredentials | undefined;
}

export interface WebdavParts extends StorageParts {
  readonly http?: HttpClient | undefined;
  /** The address that people know, if it is another one. */
  readonly address?: string | undefined;
  readonly leftOvers?: LeftOvers | undefined;
  /** Finds out the space where the server does not say. */
  readonly space?: ((signal?: AbortSignal) => Promise<Space | undefined>) | undefined;
}

/** Files of which every repository has one: a description and its copy. */
const MARKERS: readonly string[] = ['holdfast.json', 'holdfast-copy.json'];
const PARALLEL_FILES = 8;

/** Statuses of servers without MOVE. */
const NO_MOVE = new Set([405, 501]);
/** Statuses for a name that does not exist, also of refusals; only the first is that of the RFC. */
const NO_SOURCE = new Set([404, 409, 403]);
/** Statuses for a file whose folder does not exist; only the first is that of the RFC. */
const NO_FOLDER = new Set([409, 404]);

/**
 * A store in a folder of a WebDAV server (RFC 4918).
 *
 * A file is written under a temporary name and moved to its own with `Overwrite: F`, since many servers ignore `If-None-Match`, and some
 * keep the first part of an upload that breaks off. Whether the move is one step is up to the server.
 *
 * A success may be the answer of something else, such as a proxy or the sign-in page of a network. What matters is asked for again.
 */
export class WebdavStorage implements Storage {
  readonly address: string;
  readonly concurrency = PARALLEL_FILES;
  readonly #client: WebdavClient;
  readonly #root: URL;
  readonly #folders = new Set<string>();
  readonly #space: WebdavParts['space'];
  readonly leftOvers: LeftOvers;
  readonly #cutOff: CutOffFiles;
  #canMove = true;
  /** Whether the marker may be missing, since it is about to be written. */
  #isNew: boolean;

  constructor(config: WebdavConfig, parts: WebdavParts, { isNew = false }: { readonly isNew?: boolean } = {}) {
    this.#root = new URL(config.url.replace(/\/*$/, '/'));
    this.address = parts.address ?? this.#root.href;
    this.leftOvers = parts.leftOvers ?? new LeftOvers();
    this.#space = parts.space;
    this.#cutOff = new CutOffFiles(this.address);
    const { address } = this;
    const http = parts.http ?? new UndiciHttp(process.env);
    this.#client = new WebdavClient({ root: this.#root, address, credentials: config.credentials, http }, parts);
    this.#isNew = isNew;
  }

  async *list(
    prefix: string,
    signal?: AbortSignal,
    onUnreadable?: OnUnreadable,
  ): AsyncGenerator<readonly StoredFile[]> {
    checkPrefix(prefix);
    let isEmpty = true;
    for await (const files of listFolders(prefix, (folder) => this.#listFolder(folder, signal), onUnreadable)) {
      isEmpty &&= files.length === 0;
      yield files;
    }
    if (isEmpty) await this.#client.repeat(() => this.#check(signal), signal);
  }

  async rootNames(signal?: AbortSignal): Promise<readonly string[]> {
    const entries = await this.#client.repeat(() => this.#client.properties('', 1, signal), signal);
    return (entries ?? []).map((entry) => this.#nameIn('', entry)).filter((name) => name !== undefined);
  }

  /** Links that lead nowhere are in no listing of a server. */
  async obstacles(folders: readonly string[], signal?: AbortSignal): Promise<readonly Obstacle[]> {
    const entries = await this.#client.repeat(() => this.#client.properties('', 1, signal), signal);
    const files = new Set((entries ?? []).filter(({ isFolder }) => !isFolder).map((entry) => this.#nameIn('', entry)));
    return folders.filter((name) => files.has(name)).map((name) => ({ name, isLink: false }));
  }

  async space(signal?: AbortSignal): Promise<Space | undefined> {
    if (this.#space) return await this.#space(signal);
    return await this.#client.repeat(() => this.#client.space(signal), signal);
  }

  async deleteLeftOvers(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#remove(name)));
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    checkName(name);
    const request = async (): Promise<Uint8Array | undefined> => {
      const response = await this.#read(name, range, signal);
      switch (response.status) {
        case 200:
          if (isWebPage(response.body, response.headers['content-type'])) throw this.#client.strange();
          return range ? response.body.subarray(range.offset, range.offset + range.length) : response.body;
        case 206:
          if (!range || !startsAt(response, range.offset)) throw this.#client.unexpected(response);
          return response.body.subarray(0, range.length);
        case 416:
          return new Uint8Array();
        case 404:
          await this.#expectMissing(name, signal);
          return undefined;
        default:
          throw this.#client.unexpected(response);
      }
    };
    const ways = {
      repeated: () => this.#client.repeat(request, signal),
      once: () => this.#client.once(request, signal),
      probe: () => this.#client.once(() => this.#client.properties('', 0, signal), signal),
    };
    return this.#cutOff.read(name, ways, signal);
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    checkName(name);
    const bytes = joinParts(parts);
    return this.#client.repeat(async (attempt) => {
      await this.#check(signal);
      const isCreated = await this.#createWithRoom(name, bytes, signal);
      if (MARKERS.includes(name)) this.#isNew = false;
      if (!this.leftOvers.isEmpty) await this.#removeLeftOvers(name);
      if (isCreated) return 'created';
      if (!(await this.#client.properties(name, 0, signal))) throw this.#client.strange();
      if (attempt === 1) return 'exists';
      // An earlier attempt may have created it before its response was lost.
      const found = await this.#read(name, undefined, signal);
      return found.status === 200 && bytes.equals(found.body) ? 'created' : 'exists';
    }, signal);
  }

  async move(name: string, to: string, signal?: AbortSignal): Promise<Move> {
    checkName(name);
    checkName(to);
    return this.#client.repeat(async (attempt) => {
      await this.#check(signal);
      this.#folders.clear();
      await this.#createFolder(posix.dirname(to), signal);
      const response = await this.#move(name, to, signal);
      if (isSuccess(response)) {
        if (!(await this.#client.properties(to, 0, signal))) throw this.#client.strange();
        await this.#expectMissing(name, signal);
        return 'moved';
      }
      if (response.status === 412) {
        // An earlier attempt may have moved it before its response was lost.
        return attempt > 1 && !(await this.#client.properties(name, 0, signal)) ? 'moved' : 'exists';
      }
      if (NO_MOVE.has(response.status)) return 'unsupported';
      if (!NO_SOURCE.has(response.status) || (await this.#client.properties(name, 0, signal))) {
        throw this.#client.unexpected(response);
      }
      return attempt > 1 && (await this.#client.properties(to, 0, signal)) ? 'moved' : 'missing';
    }, signal);
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    await this.#client.repeat(async () => {
      const response = await this.#client.send(name, { method: 'DELETE', ...(signal && { signal }) });
      // The answer of almost every server; no page has it.
      if (response.status === 204) return;
      if (isSuccess(response) || response.status === 404) return this.#expectMissing(name, signal);
      if (response.status === 405) {
        throw new HoldfastError('permission_denied', { address: this.address, status: response.status });
      }
      throw this.#client.unexpected(response);
    }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  /** @throws HoldfastError `destination_missing` if the repository is not there */
  async #check(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isNew) return;
    for (const name of MARKERS) if (await this.#client.properties(name, 0, signal)) return;
    throw new HoldfastError('destination_missing', { directory: this.address });
  }

  /** @throws HoldfastError `service_broken` if a name exists; `destination_missing` if the repository is not there */
  async #expectMissing(name: string, signal: AbortSignal | undefined): Promise<void> {
    if (await this.#client.properties(name, 0, signal)) throw this.#client.strange();
    await this.#check(signal);
  }

  /** @throws HoldfastError `service_broken` unless a file has all its bytes */
  async #expectStored(name: string, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (!(await this.#isStored(name, bytes, signal))) throw this.#client.strange();
  }

  /** Returns false for a file of another length, as of somebody who created it at the same time. @throws HoldfastError `service_broken` if it is not there */
  async #isStored(name: string, bytes: number, signal: AbortSignal | undefined): Promise<boolean> {
    const [entry] = (await this.#client.properties(name, 0, signal)) ?? [];
    if (!entry) throw this.#client.strange();
    return entry.bytes === bytes;
  }

  #read(name: string, range: ByteRange | undefined, signal: AbortSignal | undefined): Promise<DavResponse> {
    // HTTP has no empty ranges.
    const last = range && range.offset + Math.max(1, range.length) - 1;
    const headers = { 'accept-encoding': 'identity', ...(range && { range: `bytes=${range.offset}-${last}` }) };
    return this.#client.send(name, { method: 'GET', headers, ...(signal && { signal }) });
  }

  /** Returns false if the name is taken. @throws HoldfastError `destination_full` also if the server refuses with another status for lack of room */
  async #createWithRoom(name: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#createFolder(posix.dirname(name), signal);
      return await this.#create(name, bytes, signal);
    } catch (error) {
      const isRefused = !(error instanceof HttpFailure) && !isHoldfastError(error, 'destination_full');
      if (!isRefused || signal?.aborted || !(await this.#hasNoRoom(bytes.length, signal))) throw error;
      throw new HoldfastError('destination_full', { directory: this.address }, { cause: error });
    }
  }

  async #hasNoRoom(bytes: number, signal: AbortSignal | undefined): Promise<boolean> {
    const space = await (this.#space?.(signal) ?? this.#client.space(signal)).catch(() => undefined);
    return space !== undefined && space.free < bytes;
  }

  /** Returns false if the name is taken. */
  async #create(name: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.#canMove) return this.#createInPlace(name, bytes, signal);
    const temporary = posix.join(posix.dirname(name), `${UNFINISHED}${randomBytes(12).toString('hex')}`);
    let isMoved = false;
    try {
      await this.#write(temporary, bytes, signal);
      const moved = await this.#move(temporary, name, signal);
      if (isSuccess(moved)) {
        isMoved = await this.#isStored(name, bytes.length, signal);
        // Whoever competes for a name with a hash has the same bytes.
        if (!isMoved && !MARKERS.includes(name)) throw this.#client.strange();
        return isMoved;
      }
      if (moved.status === 412) return false;
      if (NO_SOURCE.has(moved.status)) await this.#expectStored(temporary, bytes.length, signal);
      if (!NO_MOVE.has(moved.status)) throw this.#client.unexpected(moved);
    } finally {
      if (!isMoved) await this.#remove(temporary);
    }
    this.#canMove = false;
    return this.#createInPlace(name, bytes, signal);
  }

  /** Returns false if the name is taken. */
  async #createInPlace(name: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<boolean> {
    const isCreated = await this.#write(name, bytes, signal);
    if (isCreated) await this.#expectStored(name, bytes.length, signal);
    return isCreated;
  }

  #move(name: string, to: string, signal: AbortSignal | undefined): Promise<DavResponse> {
    const headers = { destination: this.#client.urlOf(to), overwrite: 'F' };
    return this.#client.send(name, { method: 'MOVE', headers, ...(signal && { signal }) });
  }

  /** Returns false if the name is taken, if the server heeds the condition. */
  async #write(name: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<boolean> {
    const headers = { 'content-type': 'application/octet-stream', 'if-none-match': '*' };
    const response = await this.#client.send(name, { method: 'PUT', headers, body: bytes, ...(signal && { signal }) });
    if (isSuccess(response)) return true;
    if (response.status === 412) return false;
    if (NO_FOLDER.has(response.status)) this.#folders.clear();
    if (response.status === 403 || response.status === 405) throw this.#unwritable(response);
    throw this.#client.unexpected(response);
  }

  async #createFolder(folder: string, signal: AbortSignal | undefined): Promise<void> {
    const isRoot = folder === '.';
    if (this.#folders.has(folder) || (isRoot && !this.#isNew)) return;
    const send = () => this.#client.send(isRoot ? '' : `${folder}/`, { method: 'MKCOL', ...(signal && { signal }) });
    let response = await send();
    if (NO_FOLDER.has(response.status) && !isRoot) {
      await this.#createFolder(posix.dirname(folder), signal);
      response = await send();
    }
    // The statuses for a new folder and for one that exists; some servers have others.
    const isThere = response.status === 201 || response.status === 405;
    if (!isThere && !(await this.#client.properties(isRoot ? '' : `${folder}/`, 0, signal))) {
      throw response.status === 403 ? this.#unwritable(response) : this.#client.unexpected(response);
    }
    this.#folders.add(folder);
  }

  async #listFolder(folder: string, signal: AbortSignal | undefined): Promise<FolderListing> {
    const entries = await this.#client.repeat(() => this.#client.properties(folder, 1, signal), signal);
    const files: StoredFile[] = [];
    const folders: string[] = [];
    for (const entry of entries ?? []) {
      const own = this.#nameIn(folder, entry);
      if (own === undefined) continue;
      const name = folder + own;
      if (own.startsWith(UNFINISHED) && entry.modified !== undefined) {
        this.leftOvers.note(name, entry.modified, entry.bytes ?? 0);
      }
      if (!isStoredName(name)) continue;
      if (entry.isFolder) folders.push(`${name}/`);
      else files.push({ name, bytes: entry.bytes ?? 0, created: entry.modified });
    }
    return { files, folders };
  }

  /** Returns an entry's name within its folder; `undefined` for the folder itself and for what is not in it. */
  #nameIn(folder: string, { href }: DavEntry): string | undefined {
    try {
      const base = decodeURIComponent(new URL(folder, this.#root).pathname);
      const path = decodeURIComponent(new URL(href, this.#root).pathname).replace(/\/$/, '');
      const name = path.startsWith(base) ? path.slice(base.length) : '';
      return name === '' || name.includes('/') ? undefined : name;
    } catch {
      return undefined;
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#client.send(name, { method: 'DELETE' }).catch(() => undefined);
  }

  async #removeLeftOvers(newest: string): Promise<void> {
    const [entry] = (await this.#client.properties(newest, 0).catch(() => undefined)) ?? [];
    if (entry?.modified === undefined) return;
    await this.deleteLeftOvers(this.leftOvers.take(entry.modified));
  }

  #unwritable({ status }: DavResponse): HoldfastError {
    return new HoldfastError('destination_unwritable', { directory: this.address, problem: `status ${status}` });
  }
}

function isSuccess({ status }: DavResponse): boolean {
  return status >= 200 && status < 300 && status !== 207;
}

function startsAt({ headers }: DavResponse, offset: number): boolean {
  return headers['content-range']?.startsWith(`bytes ${offset}-`) ?? false;
}
