import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, read, statSync } from 'node:fs';
import { mkdir, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BlobLengthError } from '../object-store.ts';
import type { BlobKey, KeyedBlob, ObjectStore, ReceivedBlob } from '../object-store.ts';
import { BlobPacks } from './blob-packs.ts';
import { collect } from '../collect.ts';
import { inParallel } from '../in-parallel.ts';
import { releaseOwnMemory } from '../../../base/limits/release-memory.ts';
import type { DiskReserve } from '../../disk/disk-reserve.ts';
import { syncDirectory } from '../../disk/sync.ts';
import { KIB } from '../../../model/units.ts';

/** Blobs of up to this many bytes are stored in packs, larger ones in files of their own. */
export const SMALL_BLOB_BYTES = 128 * KIB;

/** Name of the index of the packs inside a store's directory. */
export const SMALL_BLOBS_FILE = 'blobs.sqlite';

/** Marks a directory as a store, with its layout (store-directory.ts). */
export const MARKER_FILE = 'holdfast-store.json';

/** The folder of large blobs inside a store's directory: `objects/<account>/<ab>/<64 hex digits>.<number>`. */
export const OBJECTS_FOLDER = 'objects';

/** The packs of small blobs: `objects/packs/<number>.pack`. */
export const PACKS_FOLDER = join(OBJECTS_FOLDER, 'packs');

/** The folder for files that are being received. */
export const TEMPORARY_FOLDER = join(OBJECTS_FOLDER, 'incoming');

/** Files that are written or synced at once. libuv has four threads, one of which is left for other work. */
const PARALLEL_FILES = 3;

/** Bytes of an upload that are buffered before they are written: waiting for a write costs as much as writing 100 KiB. */
const WRITE_BYTES = 512 * KIB;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** @param reserve is given up for deletions if the disk is full */
export function openFolderObjectStore(directory: string, reserve?: DiskReserve): ObjectStore {
  return new FolderObjectStore(directory, reserve);
}

class FolderObjectStore implements ObjectStore {
  readonly #directory: string;
  /** Device and inode of the directory. */
  readonly #identity: string;
  readonly #small: BlobPacks;
  readonly #folders = new Set<string>();
  /** Files that have their name and may not be durable yet. */
  #unsynced = new Set<string>();
  /** The files of each flush in progress. */
  readonly #flushing = new Set<Set<string>>();
  /** Parents of created folders, whose entries may not be durable yet. */
  #unsyncedFolders = new Set<string>();
  #smallUnsynced = false;

  constructor(directory: string, reserve: DiskReserve | undefined) {
    this.#directory = directory;
    const packs = join(directory, PACKS_FOLDER);
    mkdirSync(packs, { recursive: true });
    this.#identity = identityOf(directory);
    this.#small = new BlobPacks(join(directory, SMALL_BLOBS_FILE), packs, {
      makeRoom: () => reserve?.giveUp() === true,
    });
  }

  async put(blobs: readonly KeyedBlob[]): Promise<void> {
    const small = blobs.filter(({ key }) => key.size <= SMALL_BLOB_BYTES);
    if (small.length > 0) {
      this.#smallUnsynced = true;
      this.#small.put(small);
    }
    if (small.length === blobs.length) return;
    const large = blobs.filter(({ key }) => key.size > SMALL_BLOB_BYTES);
    await inParallel(large, PARALLEL_FILES, async ({ key, bytes }) => {
      const temporary = await this.#temporaryFile();
      try {
        await writeFile(temporary, bytes, { flag: 'wx' });
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw error;
      }
      await this.#name(temporary, key);
    });
  }

  async receive(key: BlobKey, body: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    if (key.size <= SMALL_BLOB_BYTES) {
      const bytes = await collect(body, key.size);
      return { keep: () => this.put([{ key, bytes }]), discard: async () => undefined };
    }
    const temporary = await this.#temporaryFile();
    const discard = (): Promise<void> => unlink(temporary).catch(() => undefined);
    try {
      await writeStream(temporary, body, key.size);
    } catch (error) {
      await discard();
      throw error;
    }
    return { keep: () => this.#name(temporary, key), discard };
  }

  async flush(): Promise<void> {
    const files = this.#unsynced;
    const folders = this.#unsyncedFolders;
    const small = this.#smallUnsynced;
    this.#unsynced = new Set();
    this.#unsyncedFolders = new Set();
    this.#smallUnsynced = false;
    this.#flushing.add(files);
    try {
      if (small) await this.#small.flush();
      await inParallel([...files], PARALLEL_FILES, async (file) => {
        await syncFile(file).catch((error: unknown) => {
          // A file that was deleted meanwhile has been removed from the set.
          if (files.has(file)) throw error;
        });
      });
      for (const file of files) folders.add(dirname(file));
      await inParallel([...folders], PARALLEL_FILES, syncDirectory);
    } catch (error) {
      for (const file of files) this.#unsynced.add(file);
      for (const folder of folders) this.#unsyncedFolders.add(folder);
      this.#smallUnsynced ||= small;
      throw error;
    } finally {
      this.#flushing.delete(files);
    }
  }

  async get(keys: readonly BlobKey[]): Promise<(Uint8Array | undefined)[]> {
    const found = new Map<BlobKey, Uint8Array>();
    const small = keys.filter((key) => key.size <= SMALL_BLOB_BYTES);
    for (const [index, bytes] of this.#small.get(small).entries()) {
      if (bytes) found.set(small[index]!, bytes);
    }
    const large = keys.filter((key) => key.size > SMALL_BLOB_BYTES);
    await inParallel(large, PARALLEL_FILES, async (key) => {
      const bytes = await readBlobFile(this.#fileOf(key), key.size, 0, key.size);
      if (bytes) found.set(key, bytes);
    });
    return keys.map((key) => found.get(key));
  }

  async part(key: BlobKey, from: number, to: number): Promise<Uint8Array | undefined> {
    if (key.size > SMALL_BLOB_BYTES) return readBlobFile(this.#fileOf(key), key.size, from, to);
    return this.#small.get([key])[0]?.subarray(from, to);
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    await this.#small.delete(keys);
    await inParallel(keys, PARALLEL_FILES, async (key) => {
      const file = this.#fileOf(key);
      this.#unsynced.delete(file);
      for (const files of this.#flushing) files.delete(file);
      await unlink(file).catch(ignoreMissing);
    });
  }

  async close(): Promise<void> {
    this.#small.close();
  }

  /** Contains the chunk's id, which is never reused, so that a late deletion cannot hit a blob that was uploaded again. */
  #fileOf(key: BlobKey): string {
    const name = `${key.digest}.${key.chunkId}`;
    return join(this.#directory, OBJECTS_FOLDER, key.accountId, key.digest.slice(0, 2), name);
  }

  async #temporaryFile(): Promise<string> {
    const folder = join(this.#directory, TEMPORARY_FOLDER);
    await this.#makeFolder(folder);
    return join(folder, randomBytes(12).toString('hex'));
  }

  async #name(temporary: string, key: BlobKey): Promise<void> {
    const file = this.#fileOf(key);
    await this.#makeFolder(dirname(file));
    await rename(temporary, file);
    this.#unsynced.add(file);
  }

  #requireDirectory(): void {
    const isHere = identityOf(this.#directory) === this.#identity;
    // Some network file systems number their folders anew.
    if (!isHere && !existsSync(join(this.#directory, MARKER_FILE))) throw unmounted(this.#directory);
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    this.#requireDirectory();
    const first = await mkdir(folder, { recursive: true });
    this.#folders.add(folder);
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) this.#unsyncedFolders.add(dirname(made));
  }
}

/** Of another directory in the place of the store's: a mount point whose disk is gone. */
function unmounted(directory: string): Error {
  return Object.assign(new Error(`ENODEV: another directory is in the place of ${directory}`), { code: 'ENODEV' });
}

function identityOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  return `${dev} ${ino}`;
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function writeStream(file: string, body: AsyncIterable<Uint8Array>, length: number): Promise<void> {
  const handle = await open(file, NEW_FILE);
  try {
    let received = 0;
    const gathered = Buffer.allocUnsafeSlow(Math.min(length, WRITE_BYTES));
    let used = 0;
    for await (const piece of body) {
      received += piece.length;
      if (received > length) throw new BlobLengthError(`more than ${length} bytes`);
      for (let taken = 0; taken < piece.length;) {
        const count = Math.min(piece.length - taken, gathered.length - used);
        gathered.set(piece.subarray(taken, taken + count), used);
        taken += count;
        used += count;
        if (used < gathered.length) continue;
        await handle.writeFile(gathered);
        used = 0;
      }
    }
    if (received !== length) throw new BlobLengthError(`${received} bytes, not ${length}`);
    await handle.writeFile(gathered.subarray(0, used));
    releaseOwnMemory(gathered);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a part of a file of exactly that size; returns `undefined` if there is none. Only the read itself is asynchronous, since it may take
 * long: each asynchronous call costs as much as reading 100 KiB.
 */
async function readBlobFile(file: string, size: number, from: number, to: number): Promise<Uint8Array | undefined> {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
  try {
    if (fstatSync(descriptor).size !== size) return undefined;
    const bytes = Buffer.allocUnsafeSlow(to - from);
    return (await readFully(descriptor, bytes, from)) ? bytes : undefined;
  } finally {
    closeSync(descriptor);
  }
}

async function readFully(descriptor: number, bytes: Uint8Array, from: number): Promise<boolean> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await readPart(descriptor, bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

const readPart = promisify(read);

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY);
  } catch (error) {
    ignoreMissing(error);
    return undefined;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
