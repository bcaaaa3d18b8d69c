import type Database from 'better-sqlite3';
import { pages } from './pages.ts';
import type { PlannedEntry } from './planned-entry.ts';

/** A chunk in a file that existed before the restore. */
export interface LocalChunk {
  /** A path below the target folder. */
  readonly target: string;
  readonly offset: number;
  readonly length: number;
}

/** One of the names of an existing file that gets the attributes of its entry. */
export interface NameOfShared extends PlannedEntry {
  /** Path below the target folder. */
  readonly location: string;
  /** Identifies the file. */
  readonly file: string;
  /** The names of that file which entries of the plan have. */
  readonly names: number;
}

/** What the comparison with the target finds: names that are taken, logs that have to leave, chunks that need not be fetched, and shared files. */
export class TargetFacts {
  readonly #database: Database.Database;
  readonly #claimFile: Database.Statement;
  readonly #claimSpelling: Database.Statement;
  readonly #typeOfSpelling: Database.Statement<[string], PlannedEntry['type']>;
  readonly #addCompanion: Database.Statement;
  readonly #companionsOf: Database.Statement<[number], string>;
  readonly #addChunk: Database.Statement;
  readonly #findChunk: Database.Statement<[Uint8Array], LocalChunk>;
  readonly #forgetChunk: Database.Statement<[Uint8Array]>;
  readonly #addShared: Database.Statement;
  #hasCompanions = false;
  #hasChunks = false;

  /** @param database of the plan */
  constructor(database: Database.Database) {
    this.#database = database;
    this.#claimFile = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)');
    this.#claimSpelling = database.prepare('INSERT OR IGNORE INTO spelling VALUES (?,?)');
    this.#typeOfSpelling = database
      .prepare<[string], PlannedEntry['type']>('SELECT type FROM spelling WHERE key = ?')
      .pluck();
    this.#addCompanion = database.prepare('INSERT INTO companion VALUES (?,?)');
    this.#companionsOf = database.prepare<[number], string>('SELECT name FROM companion WHERE id = ?').pluck();
    this.#addChunk = database.prepare('INSERT OR IGNORE INTO local_chunk VALUES (?,?,?,?)');
    this.#findChunk = database.prepare('SELECT location AS target, offset, length FROM local_chunk WHERE digest = ?');
    this.#forgetChunk = database.prepare('DELETE FROM local_chunk WHERE digest = ?');
    this.#addShared = database.prepare('INSERT INTO shared VALUES (?,?,?)');
  }

  /** Claims a file of the target for one entry; returns `false` if another one has it. */
  claimFile(file: string): boolean {
    return this.#claimFile.run(file).changes === 1;
  }

  /** Claims a name for one entry, by the key of all its spellings; returns the type of the entry that has it already. */
  claimSpelling(key: string, type: PlannedEntry['type']): PlannedEntry['type'] | undefined {
    return this.#claimSpelling.run(key, type).changes === 1 ? undefined : this.#typeOfSpelling.get(key);
  }

  get hasCompanions(): boolean {
    return this.#hasCompanions;
  }

  /**
   * Adds a log of another version, which has to leave the database that is restored beside it.
   *
   * @param id of the database's entry, or of the one that makes its folder a database
   */
  addCompanion(id: number, name: string): void {
    this.#hasCompanions = true;
    this.#addCompanion.run(id, name);
  }

  /** Returns the names beside it that have to be free before an entry is there. */
  companionsOf(id: number): readonly string[] {
    return this.#hasCompanions ? this.#companionsOf.all(id) : [];
  }

  /** Adds a chunk that an existing file has. Its first place counts. */
  addChunk(digest: Uint8Array, { target, offset, length }: LocalChunk): void {
    this.#addChunk.run(digest, target, offset, length);
    this.#hasChunks = true;
  }

  findChunk(digest: Uint8Array): LocalChunk | undefined {
    return this.#hasChunks ? this.#findChunk.get(digest) : undefined;
  }

  forgetChunk(digest: Uint8Array): void {
    this.#forgetChunk.run(digest);
  }

  /**
   * Adds a name of an existing file with several. Its attributes wait until it is known how many of the names are those of entries.
   *
   * @param id of the entry
   */
  addShared(id: number, location: string, file: string): void {
    this.#addShared.run(id, location, file);
  }

  /** In path order. */
  sharedInOrder(): Generator<NameOfShared> {
    this.#database.exec('CREATE INDEX IF NOT EXISTS shared_file ON shared (file)');
    return pages<NameOfShared, number>(
      this.#database,
      `SELECT entry.*, location, file, (SELECT count(*) FROM shared AS other WHERE other.file = shared.file) AS names
       FROM shared JOIN entry USING (id) WHERE shared.id > ? ORDER BY shared.id`,
      0,
      ({ id }) => id,
    );
  }
}
