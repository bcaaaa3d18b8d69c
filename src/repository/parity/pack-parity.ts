import pLimit from 'p-limit';
import { ThreadPool } from '../../base/limits/thread-pool.ts';
import {
  DAMAGED_FOLDER,
  hashOf,
  packName,
  PARITY_FOLDER,
  parityName,
  parseParityName,
} from '../../format/repository/file-names.ts';
import { readAround } from '../../storage/read-around.ts';
import { readIfReadable, readStored } from '../../storage/read-stored.ts';
import type { Storage, StoredFile } from '../../storage/storage.ts';
import { leaveOut } from '../../storage/unreadable.ts';
import { parseHeader } from './parity-file.ts';
import { HEADER_BYTES, LARGEST_PARITY_BYTES, parityLayout } from './parity-layout.ts';
import type { ParityTasks } from './parity-tasks.ts';
import { KIB } from '../../model/units.ts';

/** Packs up to this size need no thread. */
const SMALL_BYTES = 256 * KIB;
/** Parity files of one pack that are tried, and copies of it that repairs have moved aside. */
const MOST_TRIED = 4;
/** A store lists the parity of up to so many folders in fewer requests than all. */
const MOST_FOLDERS = 16;

/** The parity files of packs, by the hashes of the packs. */
export type ParityFiles = ReadonlyMap<string, readonly StoredFile[]>;

/**
 * Parity of the packs in a store: writes it, and computes damaged packs by it. Nothing that it returns has other bytes than the pack's
 * name says. With a share of 0 it does nothing.
 */
export class PackParity implements AsyncDisposable {
  /** Bytes of parity for a hundred bytes of a pack; 0 if there is none. */
  readonly percent: number;
  readonly #storage: Storage;
  readonly #pool: ThreadPool<ParityTasks>;
  /** One pack after the other: each takes memory several times its size. */
  readonly #oneByOne = pLimit(1);
  #last: { readonly hash: string; readonly bytes: Uint8Array } | undefined;
  readonly #unmendable = new Set<string>();
  #storedBytes = 0;

  constructor(storage: Storage, percent: number) {
    this.#storage = storage;
    this.percent = percent;
    this.#pool = new ThreadPool<ParityTasks>(
      new URL('./parity-thread.ts', import.meta.url),
      {
        encodeParity: async () => (await import('./parity-tasks.ts')).parityTasks.encodeParity,
        mendPack: async () => (await import('./parity-tasks.ts')).parityTasks.mendPack,
      },
      { size: 1 },
    );
  }

  /** Bytes of the parity files that were written. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Computes the parity of a pack, whose memory may be used again as soon as this has returned a promise. */
  async encode(pack: Uint8Array): Promise<Uint8Array | undefined> {
    if (this.percent === 0) return undefined;
    const bytes = Uint8Array.from(pack);
    if (bytes.length <= SMALL_BYTES) return await this.#pool.runSmall('encodeParity', { bytes, percent: this.percent });
    return await this.#pool.run('encodeParity', { bytes, percent: this.percent }, [bytes.buffer]);
  }

  /**
   * Stores the parity of a pack.
   *
   * @param file by `encode`
   * @returns `exists` if a file of its name is there, whatever its bytes are
   */
  async put(pack: string, file: Uint8Array | undefined, signal?: AbortSignal): Promise<'created' | 'exists'> {
    if (!file) return 'exists';
    const outcome = await this.#storage.put(parityName(pack, hashOf(file)), [file], signal);
    this.#storedBytes += file.length;
    return outcome;
  }

  /** Lists the parity of some packs, or of all. What cannot be listed is like parity that is not there, unless a caller asks for it. */
  async list(packs?: readonly string[], signal?: AbortSignal, onUnreadable = leaveOut): Promise<ParityFiles> {
    const files = new Map<string, StoredFile[]>();
    if (this.percent === 0) return files;
    const wanted = packs && new Set(packs);
    const folders = new Set(packs?.map((pack) => `${PARITY_FOLDER}${pack.slice(0, 2)}/`));
    for (const folder of packs && folders.size <= MOST_FOLDERS ? folders : [PARITY_FOLDER]) {
      for await (const batch of this.#storage.list(folder, signal, onUnreadable)) {
        for (const file of batch) {
          const pack = parseParityName(file.name)?.pack;
          if (pack === undefined || wanted?.has(pack) === false) continue;
          const others = files.get(pack);
          if (others) others.push(file);
          else files.set(pack, [file]);
        }
      }
    }
    return files;
  }

  /** Returns whether a file has as many bytes as the parity of such a pack. */
  isOfLength(file: StoredFile, packBytes: number): boolean {
    return file.bytes === parityLayout(packBytes, this.percent).fileBytes;
  }

  /**
   * Returns whether a file has the bytes that its name says.
   *
   * @throws DamagedFileError if it cannot be read
   */
  async isSound({ name, bytes: size }: StoredFile, signal?: AbortSignal): Promise<boolean> {
    const range = { offset: 0, length: Math.min(size, LARGEST_PARITY_BYTES) };
    const bytes = await readStored(this.#storage, name, range, signal);
    return bytes !== undefined && hashOf(bytes) === parseParityName(name)?.hash;
  }

  /**
   * Returns the bytes of a pack that is damaged or missing, computed by its parity if necessary. The last one is kept, since its
   * blobs are read one after the other.
   *
   * @returns `undefined` if too much is damaged
   */
  async mend(pack: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.percent === 0) return undefined;
    return await this.#oneByOne(async () => {
      if (this.#unmendable.has(pack)) return undefined;
      if (this.#last?.hash === pack) return this.#last.bytes;
      const bytes = await this.#mend(pack, signal);
      if (bytes) this.#last = { hash: pack, bytes };
      else this.#unmendable.add(pack);
      return bytes;
    });
  }

  /** Makes packs that could not be mended be tried again: what was lost may be there again. */
  tryAgain(): void {
    this.#unmendable.clear();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #mend(pack: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const files = (await this.list([pack], signal)).get(pack) ?? [];
    for (const file of files.slice(0, MOST_TRIED)) {
      const header = await readHeader(this.#storage, file, signal);
      if (header?.pack !== pack) continue;
      const copies = await this.#copies(pack, header.packBytes, signal);
      const sound = copies.find((copy) => hashOf(copy) === pack);
      if (sound) return sound;
      const parity = await readIfReadable(
        this.#storage,
        file.name,
        { offset: 0, length: header.layout.fileBytes },
        signal,
      );
      if (!parity) continue;
      const mended = await this.#pool.run('mendPack', { pack, copies, parity });
      if (mended) return mended;
    }
    return undefined;
  }

  /** The file of a pack, and what repairs have moved aside of it. */
  async #copies(pack: string, length: number, signal: AbortSignal | undefined): Promise<readonly Uint8Array[]> {
    const name = packName(pack);
    const copies: Uint8Array[] = [];
    for (let number = 0; number < MOST_TRIED; number += 1) {
      const suffix = number === 1 ? '' : `-${number}`;
      const copy = number === 0 ? name : `${DAMAGED_FOLDER}${name}${suffix}`;
      const bytes = await readAround(this.#storage, copy, length, signal);
      if (bytes) copies.push(bytes);
      else if (number > 0) break;
    }
    return copies;
  }
}

/** Finds out the share of parity from the files, for a repository that lost its description; 0 if there are none. */
export async function recoverShare(storage: Storage, signal?: AbortSignal): Promise<number> {
  for await (const batch of storage.list(PARITY_FOLDER, signal, leaveOut)) {
    for (const file of batch) {
      const header = await readHeader(storage, file, signal);
      if (header && header.pack === parseParityName(file.name)?.pack) return header.percent;
    }
  }
  return 0;
}

/** Reads the first header, or the last one if that is damaged. */
async function readHeader(
  storage: Storage,
  { name, bytes }: StoredFile,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof parseHeader>> {
  for (const offset of [0, Math.max(0, bytes - HEADER_BYTES)]) {
    const read = await readIfReadable(storage, name, { offset, length: HEADER_BYTES }, signal);
    const header = read && parseHeader(read);
    if (header) return header;
  }
  return undefined;
}
