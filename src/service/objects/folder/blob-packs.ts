import BetterSqlite from 'better-sqlite3';
import { closeSync, constants, fdatasync, fstatSync, openSync, readSync, writeSync, writevSync } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { restrictDatabase } from '../../../base/files/owner-only.ts';
import { type MakeRoom, withRoomNow } from '../../disk/disk-reserve.ts';
import { diskFailureOf } from '../../disk/disk-failure.ts';
import type { BlobKey, KeyedBlob } from '../object-store.ts';
import { PackIndex, RECORD_HEADER_BYTES } from './pack-index.ts';
import type { BlobPlace } from './pack-index.ts';
import { syncDirectory } from '../../disk/sync.ts';

/** Large enough that there are few, small enough to be moved in a moment. */
const PACK_BYTES = 64 * 2 ** 20;

/** Packs kept open for reading. */
const OPEN_PACKS = 8;

/** Bytes of records that are moved in one step. */
const MOVE_BYTES = 4 * 2 ** 20;

/** Deleted records that are overwritten in one step. */
const OVERWRITTEN_RECORDS = 64;

/** Pages of the index that are freed at once, after a deletion. */
const VACUUM_PAGES = 1_000;

const WRITE_FLAGS = constants.O_RDWR | constants.O_CREAT;

export interface BlobPacksOptions {
  /** Size at which a pack is closed. */
  readonly packBytes?: number;
  /** Makes the data of an open file durable. */
  readonly sync?: (fd: number) => Promise<void>;
  /** For deletions, if the disk is full. */
  readonly makeRoom?: MakeRoom;
}

interface WrittenPack {
  readonly number: number;
  readonly fd: number;
  /** Number of flushes in progress. */
  syncs: number;
}

interface PackRecord {
  readonly chunkId: number;
  /** The header, then the blob. */
  readonly parts: readonly Uint8Array[];
  /** Bytes of the blob alone. */
  readonly length: number;
}

/**
 * Stores blobs one after the other in a few large files, with an index of their places in SQLite. A file for each would cost ten
 * times as much, and rows of a database would be written twice.
 *
 * Several processes may use the packs at once. Appending reserves the place, writes, and records the blobs in one transaction that
 * excludes other writers; bytes of a transaction that does not commit are overwritten by the next one.
 */
export class BlobPacks {
  readonly #folder: string;
  readonly #file: string;
  readonly #database: BetterSqlite.Database;
  readonly #index: PackIndex;
  readonly #append: (records: readonly PackRecord[], movedFrom: number | undefined) => void;
  #writing: WrittenPack | undefined;
  /** Packs with data that may not be durable yet. */
  readonly #unsynced = new Set<WrittenPack>();
  /** File descriptors of packs that are open for reading, by number. */
  readonly #reading = new Map<number, number>();
  #namesSynced = false;
  readonly #sync: (fd: number) => Promise<void>;
  readonly #makeRoom: MakeRoom;
  /** Set when fdatasync has failed: a second fdatasync may succeed although the data was lost. */
  #syncFailed = false;

  /**
   * @param file the index
   * @param folder the existing folder of the packs
   */
  constructor(file: string, folder: string, options: BlobPacksOptions = {}) {
    const { packBytes = PACK_BYTES, sync = promisify(fdatasync), makeRoom = () => false } = options;
    this.#makeRoom = makeRoom;
    this.#folder = folder;
    this.#sync = async (fd) => {
      try {
        await sync(fd);
      } catch (error) {
        this.#syncFailed = true;
        throw error;
      }
    };
    this.#file = file;
    this.#database = new BetterSqlite(file, { timeout: 15_000 });
    restrictDatabase(file);
    // Takes effect only before the first table is created.
    this.#database.pragma('auto_vacuum = INCREMENTAL');
    this.#database.pragma('journal_mode = WAL');
    this.#database.pragma('synchronous = NORMAL');
    this.#index = new PackIndex(this.#database, packBytes);
    const append = this.#database.transaction(this.#appendNow.bind(this));
    this.#append = (records, movedFrom) => append.immediate(records, movedFrom);
  }

  /** Stores all blobs or none, even if the disk is full. */
  put(blobs: readonly KeyedBlob[]): void {
    const headers = Buffer.alloc(blobs.length * RECORD_HEADER_BYTES);
    const records = blobs.map(({ key, bytes }, index): PackRecord => {
      const header = headers.subarray(index * RECORD_HEADER_BYTES, (index + 1) * RECORD_HEADER_BYTES);
      header.writeUInt32BE(key.size);
      header.write(key.digest, 4, 'hex');
      return { chunkId: key.chunkId, parts: [header, bytes], length: key.size };
    });
    this.#append(records, undefined);
  }

  /** Reads blobs in the order of `keys`; `undefined` if there is none of that size. */
  get(keys: readonly BlobKey[]): (Uint8Array | undefined)[] {
    const found = this.#index.find(keys.map((key) => key.chunkId));
    return keys.map((key, index) => {
      const at = found[index];
      // A key with another size does not belong to this blob.
      if (!at || at.length !== key.size) return undefined;
      // Memory of its own can be freed immediately (releaseMemory).
      const bytes = Buffer.allocUnsafeSlow(key.size);
      // It may have been moved since the index was read.
      return this.#read(at, bytes) || this.#readAgain(key, bytes) ? bytes : undefined;
    });
  }

  /**
   * Deletes blobs. A pack of which less than half is in use is dissolved: the rest is moved and the file deleted. In other packs the
   * blobs are overwritten, since they may be all that an erased person left.
   */
  async delete(keys: readonly BlobKey[]): Promise<void> {
    if (keys.length === 0) return;
    const remove = this.#database.transaction(() => {
      this.#index.delete(keys.map((key) => key.chunkId));
      return this.#index.closeSparse();
    });
    try {
      for (const pack of withRoomNow(() => remove.immediate(), this.#makeRoom)) await this.#dissolve(pack);
      await this.#overwriteDeleted();
      this.#database.pragma(`incremental_vacuum(${VACUUM_PAGES})`);
    } catch (error) {
      // The copies do not fit on the disk now; the next deletion tries again.
      if (diskFailureOf(error) !== 'full') throw error;
    }
  }

  /** Makes all blobs that were put before, and their index, durable. */
  async flush(): Promise<void> {
    const packs = [...this.#unsynced];
    this.#unsynced.clear();
    for (const pack of packs) pack.syncs += 1;
    try {
      const synced = await Promise.allSettled(packs.map(({ fd }) => this.#sync(fd)));
      const failed = synced.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      await this.#syncIndex();
    } catch (error) {
      for (const pack of packs) this.#unsynced.add(pack);
      throw error;
    } finally {
      for (const pack of packs) pack.syncs -= 1;
      for (const pack of packs) this.#closeWhenDone(pack);
    }
  }

  close(): void {
    const writing = this.#writing ? [this.#writing] : [];
    for (const { fd } of new Set([...this.#unsynced, ...writing])) closeSync(fd);
    for (const fd of this.#reading.values()) closeSync(fd);
    this.#database.close();
  }

  /** Called inside a transaction. */
  #appendNow(records: readonly PackRecord[], movedFrom: number | undefined): void {
    const { number, bytes } = this.#index.current();
    const pack = this.#openForWriting(number);
    let offset = bytes;
    const places = records.map(({ chunkId, length }) => {
      offset += RECORD_HEADER_BYTES + length;
      return { chunkId, pack: number, offset: offset - length, length };
    });
    this.#unsynced.add(pack);
    const parts = records.flatMap((record) => record.parts);
    writeAll(pack.fd, parts, bytes);
    if (movedFrom === undefined) this.#index.add(places);
    else this.#index.move(places, movedFrom);
    this.#index.grow(number, offset);
  }

  #openForWriting(number: number): WrittenPack {
    if (this.#writing?.number === number) return this.#writing;
    const full = this.#writing;
    this.#writing = { number, fd: openSync(this.#pathOf(number), WRITE_FLAGS, 0o600), syncs: 0 };
    this.#namesSynced = false;
    if (full) this.#closeWhenDone(full);
    return this.#writing;
  }

  #closeWhenDone(pack: WrittenPack): void {
    if (pack !== this.#writing && pack.syncs === 0 && !this.#unsynced.has(pack)) closeSync(pack.fd);
  }

  #read(place: BlobPlace, bytes: Uint8Array): boolean {
    const fd = this.#openForReading(place.pack);
    return fd !== undefined && readFully(fd, bytes, place.offset);
  }

  #readAgain({ chunkId, size }: BlobKey, bytes: Uint8Array): boolean {
    const [place] = this.#index.find([chunkId]);
    return place?.length === size && this.#read(place, bytes);
  }

  #openForReading(number: number): number | undefined {
    let fd = this.#reading.get(number);
    if (fd !== undefined) return fd;
    try {
      fd = openSync(this.#pathOf(number), 'r');
    } catch (error) {
      ignoreMissing(error);
      return undefined;
    }
    for (const [oldest, old] of this.#reading) {
      if (this.#reading.size < OPEN_PACKS) break;
      closeSync(old);
      this.#reading.delete(oldest);
    }
    this.#reading.set(number, fd);
    return fd;
  }

  /** Makes the copies and their index durable before the file is deleted. Keeps a pack that cannot be read completely. */
  async #dissolve(pack: number): Promise<void> {
    if (this.#syncFailed) return;
    let records: PackRecord[] = [];
    let bytes = 0;
    for (const { chunkId, offset, length } of this.#index.blobsOf(pack)) {
      const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + length);
      const fd = this.#openForReading(pack);
      if (fd === undefined || !readFully(fd, record, offset - RECORD_HEADER_BYTES)) return;
      records.push({ chunkId, parts: [record], length });
      bytes += record.length;
      if (bytes < MOVE_BYTES) continue;
      this.#append(records, pack);
      records = [];
      bytes = 0;
      await new Promise(setImmediate);
    }
    if (records.length > 0) this.#append(records, pack);
    await this.flush();
    await this.#syncEveryOther(pack);
    const reading = this.#reading.get(pack);
    if (reading !== undefined) closeSync(reading);
    this.#reading.delete(pack);
    const writing = this.#writing;
    if (writing?.number === pack) {
      this.#writing = undefined;
      this.#closeWhenDone(writing);
    }
    await unlink(this.#pathOf(pack)).catch(ignoreMissing);
    this.#index.forget(pack);
  }

  /** Overwrites deleted records with zeros, also those that an earlier deletion did not get to. */
  async #overwriteDeleted(): Promise<void> {
    for (;;) {
      const records = this.#index.deleted(OVERWRITTEN_RECORDS);
      if (records.length === 0) return;
      if (records.some(({ copied }) => copied === 1)) {
        // A power failure must not take the other record.
        if (this.#syncFailed) return;
        await this.flush();
        await this.#syncEveryOther(undefined);
      }
      // Nor may it bring the places back of which the bytes are gone.
      await this.#syncIndex();
      for (const { pack, offset, length } of records) this.#overwrite(pack, offset, length);
      this.#database.transaction(() => this.#index.overwritten(records)).immediate();
      await new Promise(setImmediate);
    }
  }

  #overwrite(pack: number, offset: number, length: number): void {
    let fd: number;
    try {
      fd = openSync(this.#pathOf(pack), 'r+');
    } catch (error) {
      // Another process has dissolved the pack.
      ignoreMissing(error);
      return;
    }
    try {
      // A pack that was cut off stays so: what would be read behind its end are zeros otherwise.
      const present = Math.min(length, fstatSync(fd).size - offset);
      if (present > 0) writeAll(fd, [Buffer.alloc(present)], offset);
    } finally {
      closeSync(fd);
    }
  }

  /** Syncs all other packs, since a process that was killed before its flush may have moved blobs of the pack to any of them. */
  async #syncEveryOther(pack: number | undefined): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.endsWith('.pack') || name === `${pack}.pack`) continue;
      const other = await open(join(this.#folder, name), 'r+').catch(ignoreMissing);
      try {
        if (other) await this.#sync(other.fd);
      } finally {
        await other?.close();
      }
    }
  }

  /**
   * Makes all commits durable without blocking this thread. In WAL mode a committed page is in the log, or was synced when it left
   * the log (SQLite does so before reusing it), so syncing the log is what a commit with synchronous = FULL would have done.
   */
  async #syncIndex(): Promise<void> {
    const log = await open(`${this.#file}-wal`, 'r+');
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
    if (this.#namesSynced) return;
    this.#namesSynced = true;
    try {
      for (const folder of [this.#folder, dirname(this.#folder), dirname(this.#file)]) await syncDirectory(folder);
    } catch (error) {
      this.#namesSynced = false;
      throw error;
    }
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${number}.pack`);
  }
}

function writeAll(fd: number, parts: readonly Uint8Array[], position: number): void {
  let length = 0;
  for (const part of parts) length += part.length;
  if (length === 0) return;
  const written = writevSync(fd, parts, position);
  if (written === length) return;
  // The disk is probably full: the next write fails with ENOSPC.
  const rest = Buffer.concat(parts).subarray(written);
  for (let done = 0; done < rest.length;) {
    done += writeSync(fd, rest, done, rest.length - done, position + written + done);
  }
}

function readFully(fd: number, bytes: Uint8Array, position: number): boolean {
  for (let done = 0; done < bytes.length;) {
    const read = readSync(fd, bytes, done, bytes.length - done, position + done);
    if (read === 0) return false;
    done += read;
  }
  return true;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
