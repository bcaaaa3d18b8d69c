import type { Database, Statement } from 'better-sqlite3';

/** In front of each blob in a pack: its length (4 bytes, big endian) and the SHA-256 of the plaintext chunk (32). */
export const RECORD_HEADER_BYTES = 36;

/** The unused bytes, as a share of a full pack, above which a sparse pack is closed and the rest of it moved. */
const SPARSE_SHARE = 1 / 16;

/** The location of a blob, whose own bytes begin at `offset`. */
export interface BlobPlace {
  readonly chunkId: number;
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

/** A record that is to be overwritten, from its header on. */
export interface DeletedRecord {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
  /** 1 if the blob was stored again, by a record that may not be durable yet. */
  readonly copied: 0 | 1;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS pack (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  bytes INTEGER NOT NULL DEFAULT 0,
  -- Bytes of records whose blob was deleted or moved.
  unused INTEGER NOT NULL DEFAULT 0,
  -- Whether nothing is appended to it any more.
  closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS packed (
  chunk_id INTEGER PRIMARY KEY,
  pack INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL
);
-- Records of deleted or replaced blobs that are still to be overwritten: bytes of a pack, with their headers.
CREATE TABLE IF NOT EXISTS deleted (
  pack INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  -- Whether the blob was stored again: its other record may not be durable yet.
  copied INTEGER NOT NULL,
  PRIMARY KEY (pack, offset)
) WITHOUT ROWID`;

/** The SQLite index of the packs and of the blobs in them. Methods that write are called inside a transaction. */
export class PackIndex {
  readonly #database: Database;
  readonly #packBytes: number;
  readonly #current: Statement<[], { number: number; bytes: number }>;
  readonly #grow: Statement<[number, number, number]>;
  readonly #find: Statement<[number], BlobPlace>;
  readonly #insert: Statement<[number, number, number, number]>;
  readonly #remove: Statement<[number], BlobPlace>;
  readonly #removeFrom: Statement<[number, number], BlobPlace>;
  readonly #waste: Statement<[number, number]>;
  readonly #erase: Statement<[number, number, number, number]>;

  /** @param packBytes size at which a pack is closed */
  constructor(database: Database, packBytes: number) {
    this.#database = database;
    this.#packBytes = packBytes;
    database.exec(SCHEMA);
    this.#current = database.prepare('SELECT number, bytes FROM pack WHERE closed = 0 ORDER BY number LIMIT 1');
    this.#grow = database.prepare('UPDATE pack SET bytes = ?, closed = ? WHERE number = ?');
    this.#find = database.prepare('SELECT chunk_id AS chunkId, pack, "offset", length FROM packed WHERE chunk_id = ?');
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO packed (chunk_id, pack, "offset", length) VALUES (?, ?, ?, ?)',
    );
    this.#remove = database.prepare(
      'DELETE FROM packed WHERE chunk_id = ? RETURNING chunk_id AS chunkId, pack, "offset", length',
    );
    this.#removeFrom = database.prepare(
      'DELETE FROM packed WHERE chunk_id = ? AND pack = ? RETURNING chunk_id AS chunkId, pack, "offset", length',
    );
    this.#waste = database.prepare('UPDATE pack SET unused = unused + ? WHERE number = ?');
    this.#erase = database.prepare(
      'INSERT OR IGNORE INTO deleted (pack, "offset", length, copied) VALUES (?, ?, ?, ?)',
    );
  }

  /** Finds blobs in the order of their chunks' ids. */
  find(chunkIds: readonly number[]): (BlobPlace | undefined)[] {
    const findAll = this.#database.transaction(() => chunkIds.map((id) => this.#find.get(id)));
    return findAll();
  }

  /** Returns the pack that blobs are appended to now, with its size; inserts a new one if all are closed. */
  current(): { readonly number: number; readonly bytes: number } {
    const newest = this.#current.get();
    if (newest) return newest;
    const { lastInsertRowid } = this.#database.prepare('INSERT INTO pack DEFAULT VALUES').run();
    return { number: Number(lastInsertRowid), bytes: 0 };
  }

  /** @param bytes the pack's new size */
  grow(pack: number, bytes: number): void {
    this.#grow.run(bytes, bytes >= this.#packBytes ? 1 : 0, pack);
  }

  /** Adds places; a chunk that already has one gets the new one. */
  add(places: readonly BlobPlace[]): void {
    for (const place of places) {
      if (this.#put(place)) continue;
      const replaced = this.#remove.get(place.chunkId);
      this.#wasted(replaced);
      this.#toOverwrite(replaced, true);
      this.#put(place);
    }
  }

  /** Records the new places of blobs that are still in the pack that they were copied from. */
  move(places: readonly BlobPlace[], from: number): void {
    for (const place of places) {
      const moved = this.#removeFrom.get(place.chunkId, from);
      if (moved) this.#put(place);
      // The blob is gone, or another process has moved it. A record that was moved goes with its pack.
      else this.#toOverwrite(place, false);
      this.#wasted(moved ?? place);
    }
  }

  delete(chunkIds: readonly number[]): void {
    for (const id of chunkIds) {
      const place = this.#remove.get(id);
      this.#wasted(place);
      this.#toOverwrite(place, false);
    }
  }

  /** Returns records of deleted blobs that are to be overwritten: their place begins at the header. */
  deleted(limit: number): readonly DeletedRecord[] {
    return this.#database
      .prepare<[number], DeletedRecord>('SELECT pack, "offset", length, copied FROM deleted LIMIT ?')
      .all(limit);
  }

  /** Forgets deleted records that have been overwritten. */
  overwritten(records: readonly DeletedRecord[]): void {
    const forget = this.#database.prepare<[number, number]>('DELETE FROM deleted WHERE pack = ? AND "offset" = ?');
    for (const { pack, offset } of records) forget.run(pack, offset);
  }

  /** Closes packs that are mostly unused, and returns all of these, including those of earlier calls. */
  closeSparse(): readonly number[] {
    return this.#database
      .prepare<[number], number>(
        `UPDATE pack SET closed = 1
         WHERE unused * 2 > bytes AND (unused > ? OR NOT EXISTS (SELECT 1 FROM packed WHERE packed.pack = number))
         RETURNING number`,
      )
      .pluck()
      .all(this.#packBytes * SPARSE_SHARE);
  }

  /** Returns the blobs of a pack, in the order of their offsets. */
  blobsOf(pack: number): readonly BlobPlace[] {
    return this.#database
      .prepare<[number], BlobPlace>(
        'SELECT chunk_id AS chunkId, pack, "offset", length FROM packed WHERE pack = ? ORDER BY "offset"',
      )
      .all(pack);
  }

  forget(pack: number): void {
    this.#database.prepare('DELETE FROM pack WHERE number = ?').run(pack);
    this.#database.prepare('DELETE FROM deleted WHERE pack = ?').run(pack);
  }

  #put({ chunkId, pack, offset, length }: BlobPlace): boolean {
    return this.#insert.run(chunkId, pack, offset, length).changes > 0;
  }

  #wasted(place: BlobPlace | undefined): void {
    if (place) this.#waste.run(RECORD_HEADER_BYTES + place.length, place.pack);
  }

  /** Has a record overwritten with the next deletion. @param isCopied whether the blob is stored elsewhere, perhaps not durably yet */
  #toOverwrite(place: BlobPlace | undefined, isCopied: boolean): void {
    if (!place) return;
    const { pack, offset, length } = place;
    this.#erase.run(pack, offset - RECORD_HEADER_BYTES, RECORD_HEADER_BYTES + length, isCopied ? 1 : 0);
  }
}
