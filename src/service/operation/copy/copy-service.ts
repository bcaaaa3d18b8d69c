import BetterSqlite from 'better-sqlite3';
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OBJECTS_FOLDER, SMALL_BLOBS_FILE, TEMPORARY_FOLDER } from '../../objects/folder/folder-object-store.ts';
import { syncDirectory, syncFile } from '../../disk/sync.ts';
import { StoreError } from '../../database/store-error.ts';
import { METADATA_FILE } from '../../database/sqlite/sqlite-connection.ts';
import { finishStore, openStoreDirectory } from '../../database/store-directory.ts';
import { missingBlobs } from './missing-blobs.ts';

/** The result of a copy. */
export interface CopyReport {
  readonly files_copied: number;
  readonly bytes_copied: number;
  /** Unchanged files of an earlier copy to the same directory. */
  readonly files_kept: number;
  /** Stored chunks whose blobs are missing in the copied service itself. */
  readonly blobs_missing: number;
}

/** Attempts at a copy: blobs that are deleted meanwhile are copied from a newer state of the service. */
const ATTEMPTS = 4;

/** The file name of a large blob: its digest, and the id of its chunk. */
const BLOB_FILE = /^[0-9a-f]{64}\.(\d+)$/;

/** Pages of a database that are copied before writers can continue. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies a service that keeps everything in its directory to another directory, from which a service can be started. The copied
 * service may keep running: the metadata is copied as of one moment, then the blobs that it refers to, which are not deleted before
 * chunks are collected. An existing copy is brought up to date.
 *
 * @throws StoreError, or the system's error about the target
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
    // The databases come last: until then an interrupted update leaves the earlier copy valid.
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

  /** Copies a database as of one moment, page by page; `adopt` replaces the earlier copy. */
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
    // SQLite would apply the log of the older copy to the new one.
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

  /** Deletes blobs that the service has deleted since an earlier copy, but keeps those that it has lost. */
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

  /** Returns whether the file was copied. */
  async #file(path: string): Promise<boolean> {
    const name = relative(this.#data, path);
    const target = join(this.#target, name);
    const source = await stat(path).catch(() => undefined);
    // The file was deleted meanwhile.
    if (!source) return false;
    this.#seen.add(name);
    const there = await stat(target).catch(() => undefined);
    // The copy's time is in whole milliseconds.
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

/** Returns the temporary name under which a file is written. */
function freshOf(file: string): string {
  return `${file}.new`;
}
