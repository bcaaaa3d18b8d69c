import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobLengthError } from './object-store.ts';
import type { BlobKey, KeyedBlob, ObjectStore, ReceivedBlob } from './object-store.ts';
import { SmallBlobs } from './small-blobs.ts';
import { syncDirectory } from './sync-directory.ts';

/** Blobs up to this many bytes are rows in SQLite, larger ones files. */
export const SMALL_BLOB_BYTES = 128 * 1024;

/** Name of the database of small blobs inside a store's directory. */
export const SMALL_BLOBS_FILE = 'blobs.sqlite';

/** The folder of large blobs inside a store's directory: `objects/<account>/<ab>/<64 hex digits>.<number>`. */
export const OBJECTS_FOLDER = 'objects';

/** Where files are written before they get their name. */
export const TEMPORARY_FOLDER = join(OBJECTS_FOLDER, 'incoming');

/** Files that are written or synchronised at once. libuv has four threads, and others need some. */
const PARALLEL_FILES = 3;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

export function openFolderObjectStore(directory: string): ObjectStore {
  return new FolderObjectStore(directory);
}

class FolderObjectStore implements ObjectStore {
  readonly #directory: string;
  readonly #small: SmallBlobs;
  readonly #folders = new Set<string>();
  /** Named, and not known to be on disk. */
  #unsynced = new Set<string>();
  /** Folders that were made, and whose own names are not known to be on disk. */
  #unsyncedFolders = new Set<string>();
  #smallUnsynced = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#small = new SmallBlobs(join(directory, SMALL_BLOBS_FILE));
  }

  async put(blobs: readonly KeyedBlob[]): Promise<void> {
    const small = blobs.filter(({ key }) => key.size <= SMALL_BLOB_BYTES);
    if (small.length > 0) {
      this.#smallUnsynced = true;
      this.#small.put(small);
    }
    if (small.length === blobs.length) return;
    const large = blobs.filter(({ key }) => key.size > SMALL_BLOB_BYTES);
    await inParallel(large, async ({ key, bytes }) => {
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
    try {
      if (small) await this.#small.flush();
      await inParallel([...files], syncFile);
      for (const file of files) folders.add(dirname(file));
      await inParallel([...folders], syncDirectory);
    } catch (error) {
      for (const file of files) this.#unsynced.add(file);
      for (const folder of folders) this.#unsyncedFolders.add(folder);
      this.#smallUnsynced ||= small;
      throw error;
    }
  }

  async get(keys: readonly BlobKey[]): Promise<(Uint8Array | undefined)[]> {
    const small = keys.filter((key) => key.size <= SMALL_BLOB_BYTES);
    const large = keys.filter((key) => key.size > SMALL_BLOB_BYTES);
    const found = new Map<BlobKey, Buffer | undefined>();
    if (small.length > 0) {
      for (const [index, bytes] of this.#small.get(small).entries()) found.set(small[index]!, bytes);
    }
    await inParallel(large, async (key) => void found.set(key, await readIfThere(this.#fileOf(key))));
    // A blob of another size than the one that was stored is no blob: it was cut off, or is somebody else's.
    return keys.map((key) => {
      const bytes = found.get(key);
      return bytes?.length === key.size ? bytes : undefined;
    });
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    this.#small.delete(keys);
    await inParallel(keys, async (key) => {
      const file = this.#fileOf(key);
      this.#unsynced.delete(file);
      await unlink(file).catch(ignoreMissing);
    });
  }

  async close(): Promise<void> {
    this.#small.close();
  }

  /** With the chunk's number, which is never used again, a late deletion cannot meet a blob that came anew. */
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

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    const first = await mkdir(folder, { recursive: true });
    this.#folders.add(folder);
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) this.#unsyncedFolders.add(dirname(made));
  }
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
    let written = 0;
    for await (const piece of body) {
      if (written + piece.length > length) throw new BlobLengthError(`more than ${length} bytes`);
      await handle.writeFile(piece);
      written += piece.length;
    }
    if (written !== length) throw new BlobLengthError(`${written} bytes, not ${length}`);
  } finally {
    await handle.close();
  }
}

async function collect(body: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let received = 0;
  for await (const piece of body) {
    if (received + piece.length > length) throw new BlobLengthError(`more than ${length} bytes`);
    bytes.set(piece, received);
    received += piece.length;
  }
  if (received !== length) throw new BlobLengthError(`${received} bytes, not ${length}`);
  return bytes;
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    ignoreMissing(error);
    return undefined;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

/** Runs `work` on every item, a few at a time; the first failure is thrown when those under way have ended. */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next]!;
      next += 1;
      await work(item);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(PARALLEL_FILES, items.length) }, run));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
