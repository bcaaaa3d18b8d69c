import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { FileEntryWithStats } from 'ssh2';
import { HoldfastError } from '../../base/errors/errors.ts';
import type { Retrier } from '../../remote/http/retrier.ts';
import { listFolders, type FolderListing } from '../list-folders.ts';
import { joinParts } from '../join-parts.ts';
import { LeftOvers } from '../left-overs.ts';
import { storageRetrier, unreached, type StorageParts } from '../retries.ts';
import type { ByteRange, Move, Obstacle, Space, Storage, StoredFile } from '../storage.ts';
import { checkName, checkPrefix, isStoredName, UNFINISHED } from '../stored-name.ts';
import type { OnUnreadable } from '../unreadable.ts';
import { untilAborted } from '../until-aborted.ts';
import { SftpCalls } from './sftp-calls.ts';
import { sftpAddress, type SftpConfig } from './sftp-config.ts';
import { connectSftp } from './sftp-connection.ts';
import { asStorageError, ConnectionLostError, isMissing, STATUS, SftpStatusError } from './sftp-error.ts';

/** Files of which every repository has one: a description and its copy. */
const MARKERS: readonly string[] = ['holdfast.json', 'holdfast-copy.json'];
const OWNER_ONLY = 0o700;
/** A pack has many requests of its own under way. */
const PARALLEL_FILES = 4;

/**
 * A store in a folder of an SSH server, through one connection that is opened when it is needed.
 *
 * A file is written under a temporary name, synced and linked to its own name, which fails if that is taken; without links it is
 * renamed, which fails as well in version 3 of SFTP. Servers other than OpenSSH may not be able to sync.
 */
export class SftpStorage implements Storage {
  readonly address: string;
  readonly concurrency = PARALLEL_FILES;
  readonly #config: SftpConfig;
  readonly #root: string;
  readonly #retrier: Retrier;
  readonly #folders = new Set<string>();
  readonly leftOvers = new LeftOvers();
  #syncs = true;
  #connecting: Promise<SftpCalls> | undefined;
  /** Whether the marker may be missing, since it is about to be written. */
  #isNew: boolean;

  constructor(config: SftpConfig, parts: StorageParts, { isNew = false }: { readonly isNew?: boolean } = {}) {
    this.address = sftpAddress(config);
    this.#config = config;
    this.#root = config.path === '' ? '.' : config.path;
    this.#retrier = storageRetrier(parts);
    this.#isNew = isNew;
  }

  get syncs(): boolean {
    return this.#syncs;
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
    if (isEmpty) await this.#call((calls) => this.#check(calls), signal);
  }

  async rootNames(signal?: AbortSignal): Promise<readonly string[]> {
    const entries = await this.#call((calls) => calls.readdir(this.#root), signal);
    return (entries ?? []).map(({ filename }) => filename).filter((name) => name !== '.' && name !== '..');
  }

  async obstacles(folders: readonly string[], signal?: AbortSignal): Promise<readonly Obstacle[]> {
    return this.#call(async (calls) => {
      const found: Obstacle[] = [];
      for (const name of folders) {
        const there = await calls.lstat(this.#pathOf(name));
        if (!there || (await calls.stat(this.#pathOf(name)))?.isDirectory()) continue;
        found.push({ name, isLink: there.isSymbolicLink() });
      }
      return found;
    }, signal);
  }

  async space(signal?: AbortSignal): Promise<Space | undefined> {
    return this.#call((calls) => calls.space(this.#root), signal);
  }

  async deleteLeftOvers(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#call(async (calls) => {
      await Promise.allSettled(paths.map((path) => calls.unlink(path)));
    }, signal);
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    checkName(name);
    const { offset, length } = range ?? { offset: 0, length: Number.POSITIVE_INFINITY };
    return this.#call(async (calls) => {
      const bytes = await calls.read(this.#pathOf(name), offset, length, signal);
      if (!bytes) await this.#check(calls);
      return bytes;
    }, signal);
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    checkName(name);
    const bytes = joinParts(parts);
    return this.#call(async (calls, attempt) => {
      await this.#check(calls);
      const outcome = await this.#create(calls, name, bytes, signal);
      if (MARKERS.includes(name)) this.#isNew = false;
      if (!this.leftOvers.isEmpty) await this.#removeLeftOvers(calls, name);
      if (outcome === 'created' || attempt === 1) return outcome;
      // An earlier attempt may have created it before its connection was lost.
      const found = await calls.read(this.#pathOf(name), 0, Number.POSITIVE_INFINITY, signal);
      return found?.equals(bytes) ? 'created' : 'exists';
    }, signal);
  }

  async move(name: string, to: string, signal?: AbortSignal): Promise<Move> {
    checkName(name);
    checkName(to);
    return this.#call(async (calls, attempt) => {
      await this.#check(calls);
      const [path, target] = [this.#pathOf(name), this.#pathOf(to)];
      // An earlier attempt may have moved it before its connection was lost.
      if (!(await calls.lstat(path))) return attempt > 1 && (await calls.lstat(target)) ? 'moved' : 'missing';
      if (await calls.lstat(target)) return 'exists';
      this.#folders.clear();
      await this.#createFolder(calls, posix.dirname(target));
      await this.#permitted(() => calls.rename(path, target));
      return 'moved';
    }, signal);
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    await this.#call(async (calls) => {
      try {
        await this.#check(calls);
        await this.#permitted(() => calls.unlink(this.#pathOf(name)));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const calls = await this.#connecting?.catch(() => undefined);
    calls?.end();
    this.#connecting = undefined;
  }

  /** @throws HoldfastError `permission_denied` if the server forbids it */
  async #permitted(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!(error instanceof SftpStatusError && error.status === STATUS.PERMISSION_DENIED)) throw error;
      const details = { address: this.address, reason: error.message };
      throw new HoldfastError('permission_denied', details, { cause: error });
    }
  }

  #pathOf(name: string): string {
    return posix.join(this.#root, name);
  }

  /** Repeats a call on a new connection if the connection was lost. */
  #call<Result>(
    work: (calls: SftpCalls, attempt: number) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return this.#retrier.run(async (attempt) => {
      try {
        const working = this.#connected().then((calls) => work(calls, attempt));
        return await untilAborted(working, signal);
      } catch (error) {
        if (error instanceof ConnectionLostError) {
          throw unreached({ address: this.address, reason: error.message, isBroken: !error.isSilence }, error);
        }
        throw asStorageError(error, this.address);
      }
    }, signal);
  }

  async #connected(): Promise<SftpCalls> {
    const connecting = this.#connecting ?? connectSftp(this.#config).then((connection) => new SftpCalls(connection));
    this.#connecting = connecting;
    try {
      const calls = await connecting;
      if (!calls.isLost) return calls;
    } catch (error) {
      if (this.#connecting === connecting) this.#connecting = undefined;
      throw error;
    }
    if (this.#connecting === connecting) this.#connecting = undefined;
    return this.#connected();
  }

  /** @throws HoldfastError `destination_missing` if the repository is not there, as if the server's disk was not mounted */
  async #check(calls: SftpCalls): Promise<void> {
    if (this.#isNew) return;
    for (const name of MARKERS) if (await calls.stat(this.#pathOf(name))) return;
    throw new HoldfastError('destination_missing', { directory: this.address });
  }

  async #create(
    calls: SftpCalls,
    name: string,
    bytes: Buffer,
    signal: AbortSignal | undefined,
  ): Promise<'created' | 'exists'> {
    const path = this.#pathOf(name);
    const folder = posix.dirname(path);
    const temporary = posix.join(folder, `${UNFINISHED}${randomBytes(12).toString('hex')}`);
    try {
      await this.#createFolder(calls, folder);
      await calls.write(temporary, bytes, signal);
      this.#syncs = calls.syncs;
      signal?.throwIfAborted();
      if (!(await this.#publish(calls, temporary, path))) return 'exists';
      await calls.sync(path);
      return 'created';
    } catch (error) {
      if (isMissing(error)) this.#folders.clear();
      if (error instanceof SftpStatusError && (await this.#hasNoRoom(calls, bytes.length))) {
        throw new HoldfastError('destination_full', { directory: this.address }, { cause: error });
      }
      throw error;
    } finally {
      await calls.unlink(temporary).catch(() => undefined);
    }
  }

  /** Servers of version 3 have no status for a full disk. What was written of the file takes space, too. */
  async #hasNoRoom(calls: SftpCalls, bytes: number): Promise<boolean> {
    const space = await calls.space(this.#root);
    return space !== undefined && space.free < bytes;
  }

  /** Returns false if the name is taken. Servers of version 3 fail with an unspecific status then. */
  async #publish(calls: SftpCalls, temporary: string, path: string): Promise<boolean> {
    for (const publish of [() => calls.link(temporary, path), () => calls.rename(temporary, path)]) {
      try {
        await publish();
        return true;
      } catch (error) {
        if (!(error instanceof SftpStatusError)) throw error;
        if (await calls.stat(path)) return false;
      }
    }
    await calls.rename(temporary, path);
    return true;
  }

  async #createFolder(calls: SftpCalls, path: string): Promise<void> {
    if (this.#folders.has(path) || path === '.' || path === '/') return;
    try {
      await calls.mkdir(path, OWNER_ONLY);
    } catch (error) {
      if (!(error instanceof SftpStatusError)) throw error;
      if (isMissing(error)) {
        await this.#createFolder(calls, posix.dirname(path));
        await calls.mkdir(path, OWNER_ONLY).catch(() => undefined);
      }
      // Version 3 has no status for an existing folder.
      if (!(await calls.stat(path))?.isDirectory()) throw error;
    }
    this.#folders.add(path);
  }

  async #listFolder(folder: string, signal: AbortSignal | undefined): Promise<FolderListing> {
    const entries = await this.#call((calls) => calls.readdir(this.#pathOf(folder)), signal);
    const files: StoredFile[] = [];
    const folders: string[] = [];
    for (const entry of entries ?? []) {
      const name = folder + entry.filename;
      const created = entry.attrs.mtime * 1000;
      if (entry.filename.startsWith(UNFINISHED)) {
        this.leftOvers.note(this.#pathOf(name), created, entry.attrs.size);
      }
      if (!isStoredName(name)) continue;
      if (isDirectory(entry)) folders.push(`${name}/`);
      else if (isFile(entry)) files.push({ name, bytes: entry.attrs.size, created });
    }
    return { files, folders };
  }

  async #removeLeftOvers(calls: SftpCalls, newest: string): Promise<void> {
    const now = await calls.stat(this.#pathOf(newest));
    const old = now ? this.leftOvers.take(now.mtime * 1000) : [];
    await Promise.allSettled(old.map((path) => calls.unlink(path)));
  }
}

const TYPE = 0o170_000;

function isDirectory({ attrs }: FileEntryWithStats): boolean {
  return (attrs.mode & TYPE) === 0o040_000;
}

function isFile({ attrs }: FileEntryWithStats): boolean {
  return (attrs.mode & TYPE) === 0o100_000;
}
