import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import type { ProjectionDatabase } from './schema.ts';
import { BLOB_KINDS, decodeTable, packBytesOf, type PlacedBlob } from '../../format/repository/pack-file.ts';

export interface NewPack {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** `undefined` if this computer read the pack itself, or wrote it: then the table is the pack's own. */
  readonly writer: string | undefined;
  /** The opened table. */
  readonly contents: Uint8Array;
}

interface KnownPack {
  readonly number: number;
  readonly writer: string | null;
  readonly contents: Buffer;
  readonly proven: number;
}

/**
 * What writers state of packs, and what packs say of themselves. Writers that state different tables contest a pack: no backup counts on
 * it until its own table was read, which is right. So the order in which the claims are read makes no difference, and a writer
 * that lies only costs reading that table.
 */
export class PackClaims {
  readonly #database: ProjectionDatabase;
  readonly #insertChunk;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
    this.#insertChunk = database.prepare<[Uint8Array, number, number, number, number, number]>(
      `INSERT INTO chunk (digest, pack, offset, length, size, kind) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
  }

  /** Adds a claim, or what was read in the pack itself. */
  add({ hash, writer, contents }: NewPack, blobs: readonly PlacedBlob[]): void {
    const known = prepareOnce<[Uint8Array], KnownPack>(
      this.#database,
      'SELECT number, writer, contents, proven FROM pack WHERE hash = ?',
    ).get(hash);
    if (!known) this.#insert({ hash, writer, contents }, blobs);
    else if (known.contents.equals(contents)) this.#confirm(known, hash, writer);
    else this.#contest(known, { hash, writer, contents }, blobs);
  }

  /** Forgets what is stated of a pack. */
  forget(hash: Uint8Array): void {
    prepareOnce(this.#database, 'DELETE FROM claim WHERE hash = ?').run(hash);
  }

  /** Forgets the chunks of a pack. */
  removeChunks(pack: number, contents: Uint8Array): void {
    const statement = prepareOnce(this.#database, 'DELETE FROM chunk WHERE digest = ? AND pack = ?');
    for (const { digest } of decodeTable(contents) ?? []) statement.run(digest, pack);
  }

  #insert({ hash, writer, contents }: NewPack, blobs: readonly PlacedBlob[]): void {
    const isOwn = writer === undefined ? 1 : 0;
    const { lastInsertRowid } = prepareOnce(
      this.#database,
      `INSERT INTO pack (hash, writer, bytes, contents, proven, seen, lost)
         VALUES (?, ?, ?, ?, ?, ?, coalesce((SELECT lost FROM lost_pack WHERE hash = ?), 0))`,
    ).run(hash, writer ?? null, packBytesOf(blobs), contents, isOwn, isOwn, hash);
    this.#addChunks(Number(lastInsertRowid), blobs);
  }

  #addChunks(pack: number, blobs: readonly PlacedBlob[]): void {
    for (const { digest, offset, length, size, kind } of blobs) {
      this.#insertChunk.run(digest, pack, offset, length, size, BLOB_KINDS.indexOf(kind));
    }
  }

  /** The lower writer names a pack if two do. */
  #confirm({ number, writer: before, contents }: KnownPack, hash: Uint8Array, writer: string | undefined): void {
    if (writer === undefined) {
      prepareOnce(this.#database, 'UPDATE pack SET proven = 1, seen = 1, contested = 0 WHERE number = ?').run(number);
      return;
    }
    if (this.#isClaimed(hash)) this.#claim(hash, contents, writer);
    if (before === null || writer < before) {
      prepareOnce(this.#database, 'UPDATE pack SET writer = ? WHERE number = ?').run(writer, number);
    }
  }

  #contest(known: KnownPack, { hash, writer, contents }: NewPack, blobs: readonly PlacedBlob[]): void {
    const { number, writer: before, contents: other, proven } = known;
    if (!this.#isClaimed(hash) && before !== null) this.#claim(hash, other, before);
    if (writer !== undefined) this.#claim(hash, contents, writer);
    const isProven = writer === undefined;
    // Until the pack was read, all computers take the same claim.
    const isTaken = isProven || (proven === 0 && Buffer.compare(contents, other) < 0);
    if (isTaken) {
      this.removeChunks(number, other);
      prepareOnce(
        this.#database,
        'UPDATE pack SET contents = ?, bytes = ?, writer = ?, proven = ?, seen = ? WHERE number = ?',
      ).run(contents, packBytesOf(blobs), this.#claimantOf(hash, contents), isProven ? 1 : 0, isProven ? 1 : 0, number);
      prepareOnce(this.#database, 'DELETE FROM damaged_blob WHERE pack = ?').run(number);
      this.#addChunks(number, blobs);
    }
    prepareOnce(this.#database, 'UPDATE pack SET contested = 1 - proven WHERE number = ?').run(number);
  }

  #isClaimed(hash: Uint8Array): boolean {
    return prepareOnce(this.#database, 'SELECT 1 FROM claim WHERE hash = ? LIMIT 1').get(hash) !== undefined;
  }

  #claim(hash: Uint8Array, contents: Uint8Array, writer: string): void {
    prepareOnce(
      this.#database,
      `INSERT INTO claim (hash, contents, by_writer) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET by_writer = min(by_writer, excluded.by_writer)`,
    ).run(hash, contents, writer);
  }

  #claimantOf(hash: Uint8Array, contents: Uint8Array): string | null {
    const sql = 'SELECT by_writer FROM claim WHERE hash = ? AND contents = ?';
    return pluckOnce<[Uint8Array, Uint8Array], string>(this.#database, sql).get(hash, contents) ?? null;
  }
}
