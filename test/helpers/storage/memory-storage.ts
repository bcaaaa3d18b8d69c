import type { ByteRange, Storage, StoredFile } from '../../../src/storage/storage.ts';
import { checkName, checkPrefix } from '../../../src/storage/stored-name.ts';

interface MemoryFile {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** Files by their names, which several storages can share like several computers a disk. */
export type MemoryFiles = Map<string, MemoryFile>;

const BATCH = 1_000;

/** A store in memory that keeps every promise of the port. */
export class MemoryStorage implements Storage {
  readonly address = 'memory:';
  readonly concurrency = 4;
  readonly files: MemoryFiles;
  /** The store's own clock. */
  readonly #now: () => number;

  constructor(files: MemoryFiles = new Map(), now: () => number = Date.now) {
    this.files = files;
    this.#now = now;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredFile[]> {
    checkPrefix(prefix);
    await turn(signal);
    const found = Array.from(this.files, ([name, { bytes, created }]) => ({ name, bytes: bytes.length, created }));
    const wanted = found.filter(({ name }) => name.startsWith(prefix));
    for (let from = 0; from < wanted.length; from += BATCH) {
      yield wanted.slice(from, from + BATCH);
      await turn(signal);
    }
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    checkName(name);
    await turn(signal);
    return this.files.get(name)?.bytes.slice(range?.offset, range && range.offset + range.length);
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    checkName(name);
    await turn(signal);
    if (this.files.has(name)) return 'exists';
    this.files.set(name, { bytes: Uint8Array.from(Buffer.concat(parts)), created: this.#now() });
    return 'created';
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    await turn(signal);
    this.files.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Lets other calls go first, as every real store does. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  signal?.throwIfAborted();
}
