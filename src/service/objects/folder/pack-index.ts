import type { Database, Statement } from 'better-sqlite3';
import { releaseOwnMemory } from '../../../base/release-memory.ts';

/** In front of each blob in a pack: its length (4 bytes, big endian) and the SHA-256 of the plaintext chunk (32). */
export const RECORD_HEADER_BYTES = 36;

/** The share of a pack that has to be unused, with more than half of it, before what is left in it is moved. */
const SPARSE_SHARE = 1 / 16;

/** Where a blob is: its own bytes begin at `offset`. */
export interface PackedPlace {
  readonly chunkId: number;
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

export type BlobPlace =
  | ({ readonly kind: 'packed' } & PackedPlace)
  /** As earlier versions stored it. */
  | { readonly kind: 'row'; readonly chunkId: number; readonly length: number };

/** In a new store no page has more than the index needs; an older one keeps the pages that its blobs needed. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS pack (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  bytes INTEGER NOT NULL DEFAULT 0,
  -- Bytes of records whose blob was deleted, or has another place now.
  unused INTEGER NOT NULL DEFAULT 0,
  -- Whether it takes no more.
  closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS packed (
  chunk_id INTEGER PRIMARY KEY,
  pack INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL
)`;

interface BlobRows {
  readonly length: Statement<[number], number>;
  readonly bytes: Statement<[number], Buffer>;
  readonly remove: Statement<[number]>;
}

/** Which packs there are, and which blob is where in them. Methods that write belong into a transaction. */
export class PackIndex {
  readonly #database: Database;
  readonly #packBytes: number;
  readonly #current: Statement<[], { number: number; bytes: number }>;
  readonly #grow: Statement<[number, number, number]>;
  readonly #find: Statement<[number], PackedPlace>;
  readonly #insert: Statement<[number, number, number, number]>;
  readonly #remove: Statement<[number], { pack: number; length: number }>;
  readonly #removeFrom: Statement<[number, number], { pack: number; length: number }>;
  readonly #waste: Statement<[number, number]>;
  /** Present where an earlier version stored blobs as rows. */
  readonly #rows: BlobRows | undefined;

  /** @param packBytes from which on a pack takes no more */
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
    this.#remove = database.prepare('DELETE FROM packed WHERE chunk_id = ? RETURNING pack, length');
    this.#removeFrom = database.prepare('DELETE FROM packed WHERE chunk_id = ? AND pack = ? RETURNING pack, length');
    this.#waste = database.prepare('UPDATE pack SET unused = unused + ? WHERE number = ?');
    const hasRows = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'blob'`).get();
    this.#rows = hasRows
      ? {
          length: database.prepare<[number], number>('SELECT length(bytes) FROM blob WHERE chunk_id = ?').pluck(),
          bytes: database.prepare<[number], Buffer>('SELECT bytes FROM blob WHERE chunk_id = ?').pluck(),
          remove: database.prepare('DELETE FROM blob WHERE chunk_id = ?'),
        }
      : undefined;
  }

  /** In their order. */
  find(chunkIds: readonly number[]): (BlobPlace | undefined)[] {
    const findAll = this.#database.transaction(() =>
      chunkIds.map((id): BlobPlace | undefined => {
        const place = this.#find.get(id);
        if (place) return { kind: 'packed', ...place };
        const length = this.#rows?.length.get(id);
        return length === undefined ? undefined : { kind: 'row', chunkId: id, length };
      }),
    );
    return findAll();
  }

  /** Copies a blob that is a row; false where it is gone. */
  readRow(chunkId: number, into: Uint8Array): boolean {
    const bytes = this.#rows?.bytes.get(chunkId);
    if (bytes?.length !== into.length) return false;
    into.set(bytes);
    releaseOwnMemory(bytes);
    return true;
  }

  /** The pack that takes blobs now, and the bytes that it has. */
  current(): { readonly number: number; readonly bytes: number } {
    const newest = this.#current.get();
    if (newest) return newest;
    const { lastInsertRowid } = this.#database.prepare('INSERT INTO pack DEFAULT VALUES').run();
    return { number: Number(lastInsertRowid), bytes: 0 };
  }

  /** @param bytes that the pack has now */
  grow(pack: number, bytes: number): void {
    this.#grow.run(bytes, bytes >= this.#packBytes ? 1 : 0, pack);
  }

  /** A chunk that has a place already gets the new one. */
  add(places: readonly PackedPlace[]): void {
    for (const place of places) {
      if (this.#put(place)) continue;
      this.#wasted(this.#remove.get(place.chunkId));
      this.#put(place);
    }
  }

  /** New places for what still is in the pack that it was copied from. */
  move(places: readonly PackedPlace[], from: number): void {
    for (const place of places) {
      const moved = this.#removeFrom.get(place.chunkId, from);
      if (moved) this.#put(place);
      this.#wasted(moved ?? place);
    }
  }

  delete(chunkIds: readonly number[]): void {
    for (const id of chunkIds) {
      this.#wasted(this.#remove.get(id));
      this.#rows?.remove.run(id);
    }
  }

  /** Closes packs in which more is unused than in use, and answers all such, those of earlier calls too. */
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

  /** What is in a pack, in the order of its bytes. */
  blobsOf(pack: number): readonly PackedPlace[] {
    return this.#database
      .prepare<[number], PackedPlace>(
        'SELECT chunk_id AS chunkId, pack, "offset", length FROM packed WHERE pack = ? ORDER BY "offset"',
      )
      .all(pack);
  }

  forget(pack: number): void {
    this.#database.prepare('DELETE FROM pack WHERE number = ?').run(pack);
  }

  #put({ chunkId, pack, offset, length }: PackedPlace): boolean {
    return this.#insert.run(chunkId, pack, offset, length).changes > 0;
  }

  #wasted(place: { readonly pack: number; readonly length: number } | undefined): void {
    if (place) this.#waste.run(RECORD_HEADER_BYTES + place.length, place.pack);
  }
}
