import type { FactOf } from '../format/facts.ts';
import { BLOB_KINDS, decodeTable, packBytes, type BlobKind, type PlacedBlob } from '../format/pack-file.ts';
import type { ProjectionDatabase } from './database.ts';

export interface NewPack {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** `undefined` if no segment names it yet. */
  readonly writer: string | undefined;
  /** Bytes of its file. */
  readonly bytes: number;
  /** The opened table. */
  readonly contents: Uint8Array;
}

/** A pack whose file exists. */
export interface StoredPack {
  readonly number: number;
  readonly hash: Buffer;
  readonly writer: string | undefined;
  readonly bytes: number;
  /** The opened table. */
  readonly contents: Buffer;
  readonly blobs: readonly PlacedBlob[];
}

/** A pack that no backup may count on, until its file is deleted. */
export interface CondemnedPack extends StoredPack {
  /** Milliseconds since the epoch: of the latest condemnation. */
  readonly condemnedAt: number;
  /** The segments that condemn it. */
  readonly by: readonly { readonly writer: string; readonly number: number }[];
}

/** Where a blob is. */
export interface BlobLocation {
  readonly pack: number;
  /** Hex SHA-256 of the pack. */
  readonly packHash: string;
  readonly offset: number;
  readonly length: number;
  /** Bytes of the plaintext. */
  readonly size: number;
}

/** The packs and their blobs. A pack counts for backups while it is neither condemned, deleted nor known to be damaged. */
export class PackTable {
  readonly #database: ProjectionDatabase;
  readonly #find;
  readonly #counts;
  readonly #insertChunk;
  readonly #readable;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
    this.#find = database.prepare<
      [Uint8Array],
      { pack: number; hash: Buffer; offset: number; length: number; size: number }
    >(
      `SELECT chunk.pack, pack.hash, chunk.offset, chunk.length, chunk.size FROM chunk JOIN pack ON pack.number = chunk.pack
       WHERE chunk.digest = ?
       ORDER BY pack.damaged, EXISTS (SELECT 1 FROM damaged_blob d WHERE d.digest = chunk.digest AND d.pack = chunk.pack),
         chunk.pack DESC`,
    );
    this.#counts = database
      .prepare<[Uint8Array], number>(
        `SELECT chunk.pack FROM chunk JOIN pack ON pack.number = chunk.pack
         WHERE chunk.digest = ? AND pack.damaged = 0
           AND NOT EXISTS (SELECT 1 FROM condemnation c WHERE c.hash = pack.hash)
           AND NOT EXISTS (SELECT 1 FROM damaged_blob d WHERE d.digest = chunk.digest AND d.pack = chunk.pack)
         LIMIT 1`,
      )
      .pluck();
    this.#readable = database.prepare<[Uint8Array]>(
      `SELECT 1 FROM chunk JOIN pack ON pack.number = chunk.pack
       WHERE chunk.digest = ? AND pack.damaged = 0
         AND NOT EXISTS (SELECT 1 FROM damaged_blob d WHERE d.digest = chunk.digest AND d.pack = chunk.pack) LIMIT 1`,
    );
    this.#insertChunk = database.prepare<[Uint8Array, number, number, number, number, number]>(
      `INSERT INTO chunk (digest, pack, offset, length, size, kind) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
  }

  /** Adds a pack unless it was deleted, or names the writer of one that is known: the lower one, if two name it. */
  add({ hash, writer, bytes, contents }: NewPack, blobs: readonly PlacedBlob[]): void {
    const known = this.#database
      .prepare<[Uint8Array], { number: number; writer: string | null }>(
        'SELECT number, writer FROM pack WHERE hash = ?',
      )
      .get(hash);
    if (known) {
      if (writer !== undefined && (known.writer === null || writer < known.writer)) {
        this.#database.prepare('UPDATE pack SET writer = ? WHERE number = ?').run(writer, known.number);
      }
      return;
    }
    if (this.isDeleted(hash)) return;
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO pack (hash, writer, bytes, contents) VALUES (?, ?, ?, ?)')
      .run(hash, writer ?? null, bytes, contents);
    const number = Number(lastInsertRowid);
    for (const blob of blobs) {
      const { digest, offset, length, size, kind } = blob;
      this.#insertChunk.run(digest, number, offset, length, size, BLOB_KINDS.indexOf(kind));
    }
  }

  /** Returns the number of a pack with a chunk that a backup may count on; `undefined` if the chunk has to be stored. */
  packWith(digest: Uint8Array): number | undefined {
    return this.#counts.get(digest);
  }

  /** Returns the places of a blob, the best first; also in condemned packs, whose files still exist. */
  locate(digest: Uint8Array): readonly BlobLocation[] {
    return this.#find
      .all(digest)
      .map(({ pack, hash, offset, length, size }) => ({ pack, packHash: hash.toString('hex'), offset, length, size }));
  }

  /** Returns all packs whose files exist, in order of their numbers, page by page. */
  *stored(pageSize = 256): Generator<StoredPack> {
    const page = this.#database.prepare<
      [number, number],
      { number: number; hash: Buffer; writer: string | null; bytes: number; contents: Buffer }
    >('SELECT number, hash, writer, bytes, contents FROM pack WHERE number > ? ORDER BY number LIMIT ?');
    for (let after = 0; ;) {
      const rows = page.all(after, pageSize);
      for (const { number, hash, writer, bytes, contents } of rows) {
        yield { number, hash, writer: writer ?? undefined, bytes, contents, blobs: decodeTable(contents) ?? [] };
      }
      const last = rows.at(-1);
      if (!last) return;
      after = last.number;
    }
  }

  /** Packs that this computer has stored and no segment names yet. */
  unreported(): readonly { readonly hash: Buffer; readonly bytes: number; readonly contents: Buffer }[] {
    return this.#database
      .prepare<[], { hash: Buffer; bytes: number; contents: Buffer }>(
        'SELECT hash, bytes, contents FROM pack WHERE writer IS NULL ORDER BY number',
      )
      .all();
  }

  /** The facts that name them: a segment that counts on one of them states it. */
  unreportedFacts(): readonly FactOf<'pack'>[] {
    return this.unreported().map(({ hash, bytes, contents }) => ({ kind: 'pack', pack: hash, bytes, table: contents }));
  }

  /** Forgets a pack that no segment names, for example since its file is gone. */
  forgetUnreported(hash: Uint8Array): void {
    const number = this.#database
      .prepare<[Uint8Array], number>('SELECT number FROM pack WHERE hash = ? AND writer IS NULL')
      .pluck()
      .get(hash);
    if (number !== undefined) this.#forget(number);
  }

  /** The number of a pack that is known and not deleted. */
  numberOf(hash: Uint8Array): number | undefined {
    return this.#database.prepare<[Uint8Array], number>('SELECT number FROM pack WHERE hash = ?').pluck().get(hash);
  }

  condemn(hash: Uint8Array, by: { readonly writer: string; readonly number: number; readonly time: number }): void {
    if (this.isDeleted(hash)) return;
    this.#database
      .prepare('INSERT INTO condemnation (hash, by_writer, by_number, time) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(hash, by.writer, by.number, by.time);
  }

  isCondemned(pack: number): boolean {
    const sql = 'SELECT 1 FROM condemnation JOIN pack USING (hash) WHERE pack.number = ? LIMIT 1';
    return this.#database.prepare(sql).get(pack) !== undefined;
  }

  /** Packs that are condemned, with the latest time and all segments that condemn them. */
  condemned(): readonly CondemnedPack[] {
    const rows = this.#database
      .prepare<[], { number: number; by_writer: string; by_number: number; time: number }>(
        `SELECT pack.number, by_writer, by_number, time FROM condemnation JOIN pack USING (hash)
         ORDER BY pack.number, by_writer`,
      )
      .all();
    const packs = new Map<number, CondemnedPack>();
    for (const { number, by_writer: writer, by_number, time } of rows) {
      const by = { writer, number: by_number };
      const known = packs.get(number);
      if (known) {
        packs.set(number, { ...known, by: [...known.by, by], condemnedAt: Math.max(known.condemnedAt, time) });
        continue;
      }
      const pack = this.find(number);
      if (pack) packs.set(number, { ...pack, condemnedAt: time, by: [by] });
    }
    return [...packs.values()];
  }

  /** A pack whose file exists, by its number. */
  find(number: number): StoredPack | undefined {
    const row = this.#database
      .prepare<[number], { number: number; hash: Buffer; writer: string | null; bytes: number; contents: Buffer }>(
        'SELECT number, hash, writer, bytes, contents FROM pack WHERE number = ?',
      )
      .get(number);
    return row && { ...row, writer: row.writer ?? undefined, blobs: decodeTable(row.contents) ?? [] };
  }

  /** Forgets a pack whose file is deleted, and remembers that. */
  markDeleted(hash: Uint8Array, by: string): void {
    this.#forgetDeleted(hash, by, false);
  }

  /** Forgets a pack whose file is damaged or missing. What may come back of it is not deleted. */
  markLost(hash: Uint8Array, by: string): void {
    this.#forgetDeleted(hash, by, true);
  }

  #forgetDeleted(hash: Uint8Array, by: string, isLost: boolean): void {
    this.#database
      .prepare('INSERT INTO deleted_pack (hash, by_writer, lost) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(hash, by, isLost ? 1 : 0);
    const pack = this.numberOf(hash);
    if (pack !== undefined) this.#forget(pack);
    this.#database.prepare('DELETE FROM condemnation WHERE hash = ?').run(hash);
  }

  /** Packs that a writer decided to delete and whose files this computer has not deleted yet. */
  toBeDeleted(by: string): readonly Buffer[] {
    return this.#database
      .prepare<[string], Buffer>('SELECT hash FROM deleted_pack WHERE by_writer = ? AND gone = 0 AND lost = 0')
      .pluck()
      .all(by);
  }

  /** Records that the file of a deleted pack is gone. */
  markGone(hash: Uint8Array): void {
    this.#database.prepare('UPDATE deleted_pack SET gone = 1 WHERE hash = ?').run(hash);
  }

  /** Returns whether a pack was deleted by a collector or given up by a repair: its file is left over. */
  isDeleted(hash: Uint8Array): boolean {
    return this.#database.prepare('SELECT 1 FROM deleted_pack WHERE hash = ? LIMIT 1').get(hash) !== undefined;
  }

  /** Records that a pack's file is missing or unreadable, so that no backup counts on it. */
  markDamaged(pack: number, damaged = true): void {
    this.#database.prepare('UPDATE pack SET damaged = ? WHERE number = ?').run(damaged ? 1 : 0, pack);
  }

  /** Records that one blob is damaged, so that no backup counts on it. */
  markBlobDamaged(digest: Uint8Array, pack: number): void {
    this.#database
      .prepare('INSERT INTO damaged_blob (digest, pack) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(digest, pack);
  }

  /** Forgets what was found damaged in a pack whose blobs were all opened. */
  clearDamagedBlobs(pack: number): void {
    this.#database.prepare('DELETE FROM damaged_blob WHERE pack = ?').run(pack);
  }

  /** Numbers of packs that have damaged blobs. */
  withDamagedBlobs(): readonly number[] {
    return this.#database.prepare<[], number>('SELECT DISTINCT pack FROM damaged_blob').pluck().all();
  }

  /** Returns whether a blob can be read, as far as is known; also from a condemned pack, whose file exists. */
  isReadable(digest: Uint8Array): boolean {
    return this.#readable.get(digest) !== undefined;
  }

  /** The hash of a pack that should have a blob. */
  packThatLost(digest: Uint8Array): Buffer | undefined {
    return this.#database
      .prepare<[Uint8Array], Buffer>(
        'SELECT pack.hash FROM chunk JOIN pack ON pack.number = chunk.pack WHERE chunk.digest = ? ORDER BY pack.number DESC',
      )
      .pluck()
      .get(digest);
  }

  /** Digests of all blobs of a kind. */
  digestsOf(kind: BlobKind): readonly Buffer[] {
    return this.#database
      .prepare<[number], Buffer>('SELECT DISTINCT digest FROM chunk WHERE kind = ?')
      .pluck()
      .all(BLOB_KINDS.indexOf(kind));
  }

  /** The highest number of a pack; numbers rise in the order in which packs become known here. */
  lastNumber(): number {
    return (
      this.#database.prepare<[], number | null>("SELECT seq FROM sqlite_sequence WHERE name = 'pack'").pluck().get() ??
      0
    );
  }

  /** Returns whether a pack may not be counted on although its file may exist. */
  hasUncountable(): boolean {
    return (
      this.#database
        .prepare(
          `SELECT 1 WHERE EXISTS (SELECT 1 FROM condemnation) OR EXISTS (SELECT 1 FROM damaged_blob)
           OR EXISTS (SELECT 1 FROM pack WHERE damaged = 1)`,
        )
        .get() !== undefined
    );
  }

  /** Returns whether backups may count on a pack. */
  isCountable(pack: number): boolean {
    return (
      this.#database
        .prepare(
          `SELECT 1 FROM pack WHERE number = ? AND damaged = 0
           AND NOT EXISTS (SELECT 1 FROM condemnation c WHERE c.hash = pack.hash)`,
        )
        .get(pack) !== undefined
    );
  }

  /** Bytes of the blobs in all packs. */
  storedBytes(): number {
    return this.#database
      .prepare<[number], number>('SELECT coalesce(sum(bytes - length(contents) - ?), 0) FROM pack')
      .pluck()
      .get(packBytes(0, 0))!;
  }

  #forget(pack: number): void {
    const contents = this.#database
      .prepare<[number], Buffer>('SELECT contents FROM pack WHERE number = ?')
      .pluck()
      .get(pack);
    const statement = this.#database.prepare('DELETE FROM chunk WHERE digest = ? AND pack = ?');
    for (const { digest } of (contents && decodeTable(contents)) ?? []) statement.run(digest, pack);
    this.#database.prepare('DELETE FROM damaged_blob WHERE pack = ?').run(pack);
    this.#database.prepare('DELETE FROM pack WHERE number = ?').run(pack);
  }
}
