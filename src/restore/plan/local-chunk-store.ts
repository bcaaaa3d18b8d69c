import type Database from 'better-sqlite3';

/** A chunk in a file that existed before the restore. */
export interface LocalChunk {
  /** A path below the target folder. */
  readonly target: string;
  readonly offset: number;
  readonly length: number;
}

/** Where existing files of the target had chunks when they were compared. */
export class LocalChunkStore {
  readonly #insert: Database.Statement;
  readonly #find: Database.Statement<[Uint8Array], LocalChunk>;
  readonly #delete: Database.Statement<[Uint8Array]>;
  #isEmpty = true;

  constructor(database: Database.Database) {
    database.exec(`CREATE TABLE local_chunk (
      digest BLOB PRIMARY KEY, location TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID`);
    this.#insert = database.prepare('INSERT OR IGNORE INTO local_chunk VALUES (?,?,?,?)');
    this.#find = database.prepare('SELECT location AS target, offset, length FROM local_chunk WHERE digest = ?');
    this.#delete = database.prepare('DELETE FROM local_chunk WHERE digest = ?');
  }

  /** The first place of a chunk counts. */
  add(digest: Uint8Array, { target, offset, length }: LocalChunk): void {
    this.#insert.run(digest, target, offset, length);
    this.#isEmpty = false;
  }

  find(digest: Uint8Array): LocalChunk | undefined {
    return this.#isEmpty ? undefined : this.#find.get(digest);
  }

  delete(digest: Uint8Array): void {
    this.#delete.run(digest);
  }
}
