import BetterSqlite from 'better-sqlite3';
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OBJECTS_FOLDER, SMALL_BLOBS_FILE, TEMPORARY_FOLDER } from '../../objects/folder/folder-object-store.ts';
import { syncDirectory, syncFile } from '../../disk/sync.ts';
import { StoreError } from '../../store/store-error.ts';
import { METADATA_FILE } from '../../store/database/sqlite-connection.ts';
import { finishStore, openStoreDirectory } from '../../store/store-directory.ts';
import { missingBlobs } from './missing-blobs.ts';

/** Contents of a copy. */
export interface CopyReport {
  readonly files_copied: number;
  readonly bytes_copied: number;
  /** Files that an earlier copy to the same folder already contained. */
  readonly files_kept: number;
  /** Stored chunks whose blobs the copied service has lost. */
  readonly blobs_missing: number;
}

/** Maximum restarts with a newer state of the service if blobs are removed during the copy. */
const ATTEMPTS = 4;

/** A large blob's digest and chunk number. */
const BLOB_FILE = /^[0-9a-f]{64}\.(\d+)$/;

/** Database pages copied before writers get a turn. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies a service that stores everything in its folder to another folder, from which a service can start. The source may keep
 * running. The copy has the state of one moment: the metadata first, then the blobs that it
 * names, which are only added until garbage is collected. An existing copy is updated.
 *
 * Throws `StoreError`, or the system's error about the target.
 */
export async function copyService(data: string, target: string): Promise<CopyReport> {
  if (!existsSync(join(data, METADATA_FILE))) throw new StoreError('store_missing', data);
  await openStoreDirectory(data, false);
  const paths = await openStoreDirectory(target, true);
  await chmod(target, 0o700);
  const copy = new FolderCopy(data, target);
  let missing = 0;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await copy.database(METADATA_FILE);
    await copy.database(SMALL_BLOBS_FILE);
    await copy.blobs();
    // The metadata comes last, so that an interrupted update leaves the previous copy valid.
    await copy.adopt(SMALL_BLOBS_FILE);
    await copy.adopt(METADATA_FILE);
    missing = missingBlobs(target);
    if (missing === 0 || missingBlobs(data) >= missing) break;
  }
  await copy.removeOthers();
  await finishStore(paths);
  return { ...copy.report, blobs_missing: missing };
}

class FolderCopy {
  readonly #data: string;
  readonly #target: string;
  #copied = 0;
  #bytes = 0;
  readonly #kept = new Set<string>();
  #seen = new Set<string>();

  constructor(data: string, target: string) {
    this.#data = data;
    this.#target = target;
  }

  get report() {
    return { files_copied: this.#copied, bytes_copied: this.#bytes, files_kept: this.#kept.size };
  }

  /** Copies with SQLite's backup, page by page, as of one moment; `adopt` replaces the previous copy. */
  async database(name: string): Promise<void> {
    const source = new BetterSqlite(join(this.#data, name), { readonly: true, fileMustExist: true, timeout: 15_000 });
    const fresh = freshOf(join(this.#target, name));
    try {
      await rm(fresh, { force: true });
      await source.backup(fresh, { progress: () => PAGES_AT_ONCE });
    } finally {
      source.close();
    }
    await chmod(fresh, 0o600);
    await syncFile(fresh);
  }

  async adopt(name: string): Promise<void> {
    const file = join(this.#target, name);
    // SQLite would apply the older copy's log to this one.
    for (const rest of ['-wal', '-shm']) await rm(file + rest, { force: true });
    await rename(freshOf(file), file);
    await syncDirectory(this.#target);
    this.#copied += 1;
    this.#bytes += (await stat(file)).size;
  }

  async blobs(): Promise<void> {
    this.#seen = new Set();
    await this.#folder(join(this.#data, OBJECTS_FOLDER));
  }

  /** Deletes blobs that the service removed since an earlier copy; blobs that it lost stay. */
  async removeOthers(): Promise<void> {
    const folder = join(this.#target, OBJECTS_FOLDER);
    const metadata = new BetterSqlite(join(this.#target, METADATA_FILE), { readonly: true, fileMustExist: true });
    try {
      const counts = metadata.prepare<[number]>('SELECT 1 FROM chunk WHERE id = ? AND size IS NOT NULL');
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        if (this.#seen.has(relative(this.#target, file))) continue;
        const [, number] = BLOB_FILE.exec(entry.name) ?? [];
        if (number === undefined || !counts.get(Number(number))) await unlink(file);
      }
    } finally {
      metadata.close();
    }
  }

  async #folder(folder: string): Promise<void> {
    if (folder === join(this.#data, TEMPORARY_FOLDER)) return;
    const target = join(this.#target, relative(this.#data, folder));
    await mkdir(target, { recursive: true, mode: 0o700 });
    let changed = false;
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await this.#folder(path);
      else if (entry.isFile()) changed = (await this.#file(path)) || changed;
    }
    if (changed) await syncDirectory(target);
  }

  /** Returns whether it was copied. */
  async #file(path: string): Promise<boolean> {
    const name = relative(this.#data, path);
    const target = join(this.#target, name);
    const source = await stat(path).catch(() => undefined);
    // Garbage collection has just removed it.
    if (!source) return false;
    this.#seen.add(name);
    const there = await stat(target).catch(() => undefined);
    // The copy's time has whole milliseconds.
    if (there?.size === source.size && Math.abs(there.mtimeMs - source.mtimeMs) < 1) {
      this.#kept.add(name);
      return false;
    }
    const fresh = freshOf(target);
    try {
      await rm(fresh, { force: true });
      await copyFile(path, fresh, constants.COPYFILE_FICLONE);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
    await chmod(fresh, 0o600);
    await utimes(fresh, source.atime, source.mtime);
    await syncFile(fresh);
    await rename(fresh, target);
    this.#copied += 1;
    this.#bytes += source.size;
    return true;
  }
}

/** The temporary name of a file. */
function freshOf(file: string): string {
  return `${file}.new`;
}
