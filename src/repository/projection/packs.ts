import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import { LATEST_TIME, type FactOf } from '../../format/repository/facts.ts';
import {
  BLOB_KINDS,
  copiesOfKind,
  decodeTable,
  packBytes,
  type BlobKind,
  type PlacedBlob,
} from '../../format/repository/pack-file.ts';
import { BlobLocations, type BlobLocation } from './blob-locations.ts';
import type { ProjectionDatabase } from './schema.ts';
import { PackClaims, type NewPack } from './pack-claims.ts';
import { PackLookup, type PackWith } from './pack-lookup.ts';

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

/**
 * The packs and their blobs. A pack counts for backups while it is neither condemned, deleted, lost nor known to be damaged, its file was
 * seen, and its table is not contested.
 */
export class PackTable {
  readonly #database: ProjectionDatabase;
  readonly #locations: BlobLocations;
  readonly #lookup: PackLookup;
  readonly #claims: PackClaims;
  readonly #readable;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
    this.#claims = new PackClaims(database);
    this.#locations = new BlobLocations(database);
    this.#lookup = new PackLookup(database);
    this.#readable = database.prepare<[Uint8Array]>(
      `SELECT 1 FROM chunk JOIN pack ON pack.number = chunk.pack
       WHERE chunk.digest = ? AND pack.damaged = 0 AND pack.lost = 0
         AND NOT EXISTS (SELECT 1 FROM damaged_blob d WHERE d.digest = chunk.digest AND d.pack = chunk.pack) LIMIT 1`,
    );
  }

  /** Adds what a writer states of a pack, or what this computer has read in it, unless it was deleted. */
  add(pack: NewPack, blobs: readonly PlacedBlob[]): void {
    if (!this.isDeleted(pack.hash)) this.#claims.add(pack, blobs);
  }

  /** Returns the number of a pack with a chunk that a backup may count on; `undefined` if the chunk has to be stored. */
  packWith(digest: Uint8Array): number | undefined {
    return this.#lookup.packWith(digest);
  }

  /** Returns the numbers of all packs with a chunk that a backup may count on. */
  packsWith(digest: Uint8Array): readonly number[] {
    return this.#lookup.packsWith(digest);
  }

  /** Returns whether as many packs that count have a blob as should have it. */
  isStored(digest: Uint8Array, kind: BlobKind): boolean {
    return kind === 'data' ? this.packWith(digest) !== undefined : this.packsWith(digest).length >= copiesOfKind(kind);
  }

  /** Returns the digests of the metadata that stands in too few packs; see `PackLookup`. */
  metadataInTooFewPacks(): readonly Buffer[] {
    return this.#lookup.metadataInTooFewPacks();
  }

  /** Looks many chunks up; see `PackLookup`. */
  lookUp<Result>(work: (packWith: PackWith) => Result): Result {
    return this.#lookup.lookUp(work);
  }

  /** Returns the places of a blob; see `BlobLocations`. */
  locate(digest: Uint8Array): readonly BlobLocation[] {
    return this.locateAll([digest])[0]!;
  }

  /** Returns the places of each blob; see `BlobLocations`. */
  locateAll(digests: readonly Uint8Array[]): readonly (readonly BlobLocation[])[] {
    return this.#locations.locateAll(digests);
  }

  /** Returns all packs whose files exist, in order of their numbers, page by page. */
  *stored(pageSize = 256): Generator<StoredPack> {
    const page = prepareOnce<
      [number, number],
      { number: number; hash: Buffer; writer: string | null; bytes: number; contents: Buffer }
    >(
      this.#database,
      'SELECT number, hash, writer, bytes, contents FROM pack WHERE number > ? AND lost = 0 ORDER BY number LIMIT ?',
    );
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
    return prepareOnce<[], { hash: Buffer; bytes: number; contents: Buffer }>(
      this.#database,
      'SELECT hash, bytes, contents FROM pack WHERE writer IS NULL AND lost = 0 ORDER BY number',
    ).all();
  }

  /** The facts that name them: a segment that counts on one of them states it. */
  unreportedFacts(): readonly FactOf<'pack'>[] {
    return this.unreported().map(({ hash, bytes, contents }) => ({ kind: 'pack', pack: hash, bytes, table: contents }));
  }

  /** Forgets a pack that no segment names, for example since its file is gone. */
  forgetUnreported(hash: Uint8Array): void {
    const number = pluckOnce<[Uint8Array], number>(
      this.#database,
      'SELECT number FROM pack WHERE hash = ? AND writer IS NULL',
    ).get(hash);
    if (number !== undefined) this.#forget(number);
  }

  /** The number of a pack that is known and not deleted. */
  numberOf(hash: Uint8Array): number | undefined {
    return pluckOnce<[Uint8Array], number>(this.#database, 'SELECT number FROM pack WHERE hash = ?').get(hash);
  }

  condemn(hash: Uint8Array, by: { readonly writer: string; readonly number: number; readonly time: number }): void {
    if (this.isDeleted(hash)) return;
    prepareOnce(
      this.#database,
      `INSERT INTO condemnation (hash, by_writer, by_number, time) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET by_number = min(by_number, excluded.by_number), time = max(time, excluded.time)`,
    ).run(hash, by.writer, by.number, by.time);
  }

  isCondemned(pack: number): boolean {
    const sql = 'SELECT 1 FROM condemnation JOIN pack USING (hash) WHERE pack.number = ? LIMIT 1';
    return prepareOnce(this.#database, sql).get(pack) !== undefined;
  }

  /** Packs that are condemned, with the latest time and all segments that condemn them. */
  condemned(): readonly CondemnedPack[] {
    const rows = prepareOnce<[], { number: number; by_writer: string; by_number: number; time: number }>(
      this.#database,
      `SELECT pack.number, by_writer, by_number, time FROM condemnation JOIN pack USING (hash)
         ORDER BY pack.number, by_writer`,
    ).all();
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
    const row = prepareOnce<
      [number],
      { number: number; hash: Buffer; writer: string | null; bytes: number; contents: Buffer }
    >(this.#database, 'SELECT number, hash, writer, bytes, contents FROM pack WHERE number = ? AND lost = 0').get(
      number,
    );
    return row && { ...row, writer: row.writer ?? undefined, blobs: decodeTable(row.contents) ?? [] };
  }

  /** Forgets a pack whose file is deleted, and remembers that. */
  markDeleted(hash: Uint8Array, by: string): void {
    prepareOnce(this.#database, 'INSERT INTO deleted_pack (hash, by_writer) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
      hash,
      by,
    );
    const pack = this.numberOf(hash);
    if (pack !== undefined) this.#forget(pack);
    this.#claims.forget(hash);
    prepareOnce(this.#database, 'DELETE FROM condemnation WHERE hash = ?').run(hash);
  }

  /** Records that the file of a pack is lost, or was found again. The later decision counts. */
  markLost(hash: Uint8Array, lost: boolean, by: { readonly writer: string; readonly time: number }): void {
    prepareOnce(
      this.#database,
      `INSERT INTO lost_pack (hash, lost, time, by_writer) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE
         SET lost = excluded.lost, time = excluded.time, by_writer = excluded.by_writer
         WHERE (excluded.time, excluded.by_writer, excluded.lost) > (lost_pack.time, lost_pack.by_writer, lost_pack.lost)`,
    ).run(hash, lost ? 1 : 0, by.time, by.writer);
    const state = 'UPDATE pack SET lost = (SELECT lost FROM lost_pack l WHERE l.hash = pack.hash) WHERE hash = ?';
    prepareOnce(this.#database, state).run(hash);
  }

  /** A time for a decision about lost packs: later than all earlier ones, whatever the clocks say. */
  lostTime(now: number): number {
    const latest = pluckOnce<[], number | null>(this.#database, 'SELECT max(time) FROM lost_pack').get() ?? -1;
    return Math.min(LATEST_TIME, Math.max(now, latest + 1));
  }

  isLost(hash: Uint8Array): boolean {
    return prepareOnce(this.#database, 'SELECT 1 FROM lost_pack WHERE hash = ? AND lost = 1').get(hash) !== undefined;
  }

  /** Packs that a writer decided to delete and whose files this computer has not deleted yet. */
  toBeDeleted(by: string): readonly Buffer[] {
    return pluckOnce<[string], Buffer>(
      this.#database,
      'SELECT hash FROM deleted_pack WHERE by_writer = ? AND gone = 0',
    ).all(by);
  }

  /** Records that the file of a deleted pack is gone, or that it is there again. */
  markGone(hash: Uint8Array, isGone = true): void {
    prepareOnce(this.#database, 'UPDATE deleted_pack SET gone = ? WHERE hash = ?').run(isGone ? 1 : 0, hash);
  }

  /** Returns whether a collector deleted a pack: its file is left over. */
  isDeleted(hash: Uint8Array): boolean {
    return prepareOnce(this.#database, 'SELECT 1 FROM deleted_pack WHERE hash = ? LIMIT 1').get(hash) !== undefined;
  }

  /** Records that a pack's file is missing or unreadable, so that no backup counts on it; or that it is there and sound. */
  markDamaged(pack: number, damaged = true): void {
    const sql = damaged ? 'SET damaged = 1' : 'SET damaged = 0, seen = 1';
    prepareOnce(this.#database, `UPDATE pack ${sql} WHERE number = ?`).run(pack);
  }

  /** Records that a pack's file stood in a listing with its length. */
  markSeen(hash: Uint8Array): void {
    prepareOnce(this.#database, 'UPDATE pack SET seen = 1 WHERE hash = ?').run(hash);
  }

  /** Packs whose files were in no listing yet. */
  unseen(): readonly { readonly hash: Buffer; readonly bytes: number }[] {
    return prepareOnce<[], { hash: Buffer; bytes: number }>(
      this.#database,
      'SELECT hash, bytes FROM pack WHERE seen = 0 AND lost = 0',
    ).all();
  }

  /** Packs of which writers state different tables, and whose own was not read. */
  contested(): readonly Buffer[] {
    return pluckOnce<[], Buffer>(this.#database, 'SELECT hash FROM pack WHERE contested = 1 AND lost = 0').all();
  }

  /** Records that one blob is damaged, so that no backup counts on it. */
  markBlobDamaged(digest: Uint8Array, pack: number): void {
    prepareOnce(this.#database, 'INSERT INTO damaged_blob (digest, pack) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
      digest,
      pack,
    );
  }

  /** Forgets what was found damaged in a pack whose blobs were all opened. */
  clearDamagedBlobs(pack: number): void {
    prepareOnce(this.#database, 'DELETE FROM damaged_blob WHERE pack = ?').run(pack);
  }

  /** Numbers of packs that have damaged blobs. */
  withDamagedBlobs(): readonly number[] {
    return pluckOnce<[], number>(this.#database, 'SELECT DISTINCT pack FROM damaged_blob').all();
  }

  /** Returns whether all packs with a blob were given up. */
  isGivenUp(digest: Uint8Array): boolean {
    const sql =
      'SELECT 1 FROM chunk JOIN pack ON pack.number = chunk.pack WHERE chunk.digest = ? AND pack.lost = 0 LIMIT 1';
    return prepareOnce(this.#database, sql).get(digest) === undefined;
  }

  /** The time of the latest decision that a pack is lost. */
  lastLoss(): number | undefined {
    const sql = 'SELECT max(time) FROM lost_pack WHERE lost = 1';
    return pluckOnce<[], number | null>(this.#database, sql).get() ?? undefined;
  }

  /** Returns whether a blob can be read, as far as is known; also from a condemned pack, whose file exists. */
  isReadable(digest: Uint8Array): boolean {
    return this.#readable.get(digest) !== undefined;
  }

  /** The hash of a pack that should have a blob. */
  packThatLost(digest: Uint8Array): Buffer | undefined {
    return pluckOnce<[Uint8Array], Buffer>(
      this.#database,
      'SELECT pack.hash FROM chunk JOIN pack ON pack.number = chunk.pack WHERE chunk.digest = ? ORDER BY pack.number DESC',
    ).get(digest);
  }

  /** Digests of all blobs of a kind. */
  digestsOf(kind: BlobKind): readonly Buffer[] {
    return pluckOnce<[number], Buffer>(this.#database, 'SELECT DISTINCT digest FROM chunk WHERE kind = ?').all(
      BLOB_KINDS.indexOf(kind),
    );
  }

  /** The number of packs that are known. */
  count(): number {
    return pluckOnce<[], number>(this.#database, 'SELECT count(*) FROM pack').get()!;
  }

  /** Returns what a blob is, as the tables of its packs say. */
  kindOf(digest: Uint8Array): BlobKind {
    const sql = 'SELECT max(kind) FROM chunk WHERE digest = ?';
    return BLOB_KINDS[pluckOnce<[Uint8Array], number>(this.#database, sql).get(digest)!]!;
  }

  /** The highest number of a pack; numbers rise in the order in which packs become known here. */
  lastNumber(): number {
    return (
      pluckOnce<[], number | null>(this.#database, "SELECT seq FROM sqlite_sequence WHERE name = 'pack'").get() ?? 0
    );
  }

  /** Returns whether a pack may not be counted on although its file may exist, and has what no other pack has. */
  hasUncountable(): boolean {
    const isDamaged = `SELECT 1 WHERE EXISTS (SELECT 1 FROM condemnation c WHERE NOT EXISTS
        (SELECT 1 FROM lost_pack l WHERE l.hash = c.hash AND l.lost = 1))
      OR EXISTS (SELECT 1 FROM damaged_blob) OR EXISTS (SELECT 1 FROM pack WHERE damaged = 1)`;
    if (prepareOnce(this.#database, isDamaged).get() !== undefined) return true;
    const others = 'SELECT contents FROM pack WHERE contested = 1 OR seen = 0 OR lost = 1';
    return pluckOnce<[], Buffer>(this.#database, others)
      .all()
      .some((contents) => decodeTable(contents)?.some(({ digest }) => this.packWith(digest) === undefined));
  }

  /** Returns whether backups may count on a pack. */
  isCountable(pack: number): boolean {
    return this.#lookup.isCountable(pack);
  }

  /** Bytes of the blobs in all packs. */
  storedBytes(): number {
    return pluckOnce<[number], number>(
      this.#database,
      'SELECT coalesce(sum(bytes - length(contents) - ?), 0) FROM pack WHERE lost = 0',
    ).get(packBytes(0, 0))!;
  }

  #forget(pack: number): void {
    const contents = pluckOnce<[number], Buffer>(this.#database, 'SELECT contents FROM pack WHERE number = ?').get(
      pack,
    );
    if (contents) this.#claims.removeChunks(pack, contents);
    prepareOnce(this.#database, 'DELETE FROM damaged_blob WHERE pack = ?').run(pack);
    prepareOnce(this.#database, 'DELETE FROM pack WHERE number = ?').run(pack);
  }
}
