import { lstat, mkdir, opendir, readdir, readFile, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveFolderToSync, ownerToKeep } from '../../base/files/keep-owner.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { joinParts } from '../join-parts.ts';
import { LeftOvers } from '../left-overs.ts';
import type { ByteRange, Move, Obstacle, Space, Storage, StoredFile } from '../storage.ts';
import { checkName, checkPrefix, isStoredName, UNFINISHED } from '../stored-name.ts';
import { unreadableProblem, type OnUnreadable } from '../unreadable.ts';
import { DestinationRoot } from './destination-root.ts';
import { asFolderError } from './folder-error.ts';
import { syncFolder, UnfinishedFile } from './new-file.ts';
import { NoFileError, OpenFiles } from './open-files.ts';

const OWNER_ONLY = 0o700;

/** More writers than that make a disk seek. */
const PARALLEL_FILES = 4;
const PARALLEL_STATS = 32;
const BATCH = 1_000;

/**
 * A store in a folder: a disk, a share, or whatever the system mounts.
 *
 * Opening and reading writes nothing, so a read-only medium suffices. Unfinished files of killed processes are removed by a `put`
 * that follows a listing.
 */
export class FolderStorage implements Storage {
  readonly address: string;
  readonly concurrency = PARALLEL_FILES;
  readonly listsAtNoCost = true;
  readonly leftOvers = new LeftOvers();
  readonly #root: DestinationRoot;
  readonly #files = new OpenFiles();
  /** Folders that exist on disk, or are being created. */
  readonly #folders = new Map<string, Promise<void>>();

  private constructor(root: DestinationRoot) {
    this.address = root.directory;
    this.#root = root;
  }

  /**
   * Opens a repository's folder.
   *
   * @param isNew the folder exists, and its first file will be `holdfast.json`
   * @throws HoldfastError `destination_missing` if it has no `holdfast.json`, as if the disk was not mounted
   */
  static async open(directory: string, { isNew = false }: { readonly isNew?: boolean } = {}): Promise<FolderStorage> {
    return new FolderStorage(await DestinationRoot.open(directory, isNew));
  }

  async *list(
    prefix: string,
    signal?: AbortSignal,
    onUnreadable?: OnUnreadable,
  ): AsyncGenerator<readonly StoredFile[]> {
    for await (const names of this.#namesBelow(prefix, signal, onUnreadable)) {
      yield await this.#filesOf(names, onUnreadable);
    }
  }

  listNames(prefix: string, signal?: AbortSignal, onUnreadable?: OnUnreadable): AsyncIterable<readonly string[]> {
    return this.#namesBelow(prefix, signal, onUnreadable);
  }

  async rootNames(): Promise<readonly string[]> {
    try {
      return await readdir(this.#root.directory);
    } catch (error) {
      throw await this.#translated(error);
    }
  }

  async obstacles(folders: readonly string[]): Promise<readonly Obstacle[]> {
    const found: Obstacle[] = [];
    for (const name of folders) {
      const path = this.#pathOf(name);
      if (await isObstacle(path)) found.push({ name, isLink: (await lstat(path)).isSymbolicLink() });
    }
    return found;
  }

  async space(): Promise<Space> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#root.directory);
      return { total: blocks * bsize, free: bavail * bsize };
    } catch (error) {
      throw await this.#translated(error);
    }
  }

  async deleteLeftOvers(paths: readonly string[]): Promise<void> {
    await Promise.allSettled(paths.map((path) => rm(path, { force: true })));
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    checkName(name);
    signal?.throwIfAborted();
    const path = this.#pathOf(name);
    try {
      if (range) return await this.#files.read(path, range.offset, range.length);
      // A pipe would block, and a folder is no file.
      if (!(await stat(path)).isFile()) throw new NoFileError(path);
      return await readFile(path, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (!isMissing(error)) throw await this.#translated(error);
      await this.#root.check();
      return undefined;
    }
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    checkName(name);
    signal?.throwIfAborted();
    await this.#root.check();
    const path = this.#pathOf(name);
    try {
      const bytes = joinParts(parts);
      try {
        return await this.#putOnce(name, path, bytes, signal);
      } catch (error) {
        // Somebody removed the folder, or the unfinished file: another computer takes it for that of a killed process if this one sleeps.
        if (!isMissing(error)) throw error;
        // A disk that is gone is no reason to create it elsewhere.
        await this.#root.check();
        this.#folders.clear();
        return await this.#putOnce(name, path, bytes, signal);
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#translated(error);
    }
  }

  async #putOnce(
    name: string,
    path: string,
    bytes: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<'created' | 'exists'> {
    await this.#createFolder(dirname(name));
    const file = await UnfinishedFile.write(dirname(path), bytes, signal);
    await this.#checkStillThere(file, signal);
    const outcome = await file.publish(path);
    await this.#removeLeftOvers(file.written);
    return outcome;
  }

  async move(name: string, to: string, signal?: AbortSignal): Promise<Move> {
    checkName(name);
    checkName(to);
    signal?.throwIfAborted();
    await this.#root.check();
    const [path, target] = [this.#pathOf(name), this.#pathOf(to)];
    try {
      if (!(await isThere(path))) return 'missing';
      if (await isThere(target)) return 'exists';
      await this.#files.close(path);
      await this.#createFolder(dirname(to));
      await rename(path, target);
      for (const folder of [dirname(target), dirname(path)]) await syncFolder(folder);
      return 'moved';
    } catch (error) {
      throw this.#refusal(error) ?? (await this.#translated(error));
    }
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    signal?.throwIfAborted();
    await this.#root.check();
    const path = this.#pathOf(name);
    try {
      await this.#files.close(path);
      await unlink(path);
    } catch (error) {
      if (isMissing(error)) return;
      throw this.#refusal(error) ?? (await this.#translated(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files.closeAll();
  }

  #pathOf(name: string): string {
    return join(this.#root.directory, name);
  }

  /** Yields the names of files below a prefix. */
  async *#namesBelow(
    prefix: string,
    signal: AbortSignal | undefined,
    onUnreadable: OnUnreadable | undefined,
  ): AsyncGenerator<readonly string[]> {
    checkPrefix(prefix);
    let isEmpty = true;
    const folders = [prefix];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for await (const names of this.#namesIn(folder, folders, onUnreadable)) {
        signal?.throwIfAborted();
        isEmpty &&= names.length === 0;
        yield names;
      }
    }
    if (isEmpty) await this.#root.check();
  }

  /** Yields the names of a folder's files, and adds its folders to `folders`. @param folder empty or ends with a slash */
  async *#namesIn(
    folder: string,
    folders: string[],
    onUnreadable: OnUnreadable | undefined,
  ): AsyncGenerator<readonly string[]> {
    let names: string[] = [];
    try {
      for await (const entry of await opendir(this.#pathOf(folder))) {
        const name = folder + entry.name;
        if (entry.name.startsWith(UNFINISHED)) await this.#noteLeftOver(this.#pathOf(name));
        if (!isStoredName(name)) continue;
        if (entry.isDirectory()) folders.push(`${name}/`);
        else names.push(name);
        if (names.length === BATCH) {
          yield names;
          names = [];
        }
      }
    } catch (error) {
      if (!isMissing(error)) await this.#leaveOut(folder.slice(0, -1), error, onUnreadable);
    }
    yield names;
  }

  /** Reports a name that cannot be read, if it is this name alone. */
  async #leaveOut(name: string, error: unknown, onUnreadable: OnUnreadable | undefined): Promise<void> {
    const translated = await this.#translated(error);
    const problem = unreadableProblem(translated);
    if (!onUnreadable || problem === undefined) throw translated;
    onUnreadable(name, problem, translated);
  }

  /** Omits files that were deleted meanwhile and what is no file. */
  async #filesOf(names: readonly string[], onUnreadable: OnUnreadable | undefined): Promise<readonly StoredFile[]> {
    const files: (StoredFile | undefined)[] = [];
    for (let from = 0; from < names.length; from += PARALLEL_STATS) {
      const some = names.slice(from, from + PARALLEL_STATS);
      files.push(...(await Promise.all(some.map((name) => this.#fileOf(name, onUnreadable)))));
    }
    return files.filter((file) => file !== undefined);
  }

  async #fileOf(name: string, onUnreadable: OnUnreadable | undefined): Promise<StoredFile | undefined> {
    try {
      const found = await stat(this.#pathOf(name));
      return found.isFile() ? { name, bytes: found.size, created: Math.floor(found.mtimeMs) } : undefined;
    } catch (error) {
      if (!isMissing(error)) await this.#leaveOut(name, error, onUnreadable);
      return undefined;
    }
  }

  async #checkStillThere(file: UnfinishedFile, signal: AbortSignal | undefined): Promise<void> {
    try {
      signal?.throwIfAborted();
      await this.#root.check();
    } catch (error) {
      await file.remove();
      throw error;
    }
  }

  /** Creates a folder below the root and its missing ancestors, each on disk before this resolves. */
  #createFolder(folder: string): Promise<void> {
    if (folder === '.') return Promise.resolve();
    let creation = this.#folders.get(folder);
    if (!creation) {
      creation = this.#makeFolder(folder);
      this.#folders.set(folder, creation);
      creation.catch(() => this.#folders.delete(folder));
    }
    return creation;
  }

  async #makeFolder(folder: string): Promise<void> {
    await this.#createFolder(dirname(folder));
    try {
      const path = this.#pathOf(folder);
      await mkdir(path, { mode: OWNER_ONLY });
      giveFolderToSync(path, ownerToKeep(dirname(path)));
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
    // Also one that exists: a process that was killed may have created it without syncing its name.
    await syncFolder(this.#pathOf(dirname(folder)));
  }

  async #noteLeftOver(path: string): Promise<void> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) this.leftOvers.note(path, found.mtimeMs, found.size);
  }

  /** @param now by the file system's clock */
  async #removeLeftOvers(now: number): Promise<void> {
    await this.deleteLeftOvers(this.leftOvers.take(now));
  }

  #refusal(error: unknown): HoldfastError | undefined {
    const reason = systemCodeOf(error);
    return reason === 'EPERM' || reason === 'EACCES'
      ? new HoldfastError('permission_denied', { address: this.address, reason }, { cause: error })
      : undefined;
  }

  async #translated(error: unknown): Promise<unknown> {
    return asFolderError(error, this.address, await this.#root.isPresent());
  }
}

/** A link that leads to itself leads to no file. */
function isMissing(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** Returns whether something else has the name of a folder. A link to a folder is one. What a disk does not tell is left as it is. */
async function isObstacle(path: string): Promise<boolean> {
  try {
    if (!(await isThere(path))) return false;
    return !(await stat(path)).isDirectory();
  } catch (error) {
    return isMissing(error);
  }
}

/** Returns whether a name is taken, also by a link that leads nowhere. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
