import type Database from 'better-sqlite3';
import type { PlannedEntry } from './planned-entry.ts';

/** One of the names of an existing file that gets the attributes of its entry. */
export interface NameOfShared extends PlannedEntry {
  /** Path below the target folder. */
  readonly location: string;
  /** Identifies the file. */
  readonly file: string;
  /** The names of that file which entries of the plan have. */
  readonly names: number;
}

const PAGE_ROWS = 1000;

/** Existing files with several names. Their attributes wait until it is known how many of the names are those of entries. */
export class SharedFiles {
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;

  constructor(database: Database.Database) {
    database.exec('CREATE TABLE shared (id INTEGER PRIMARY KEY, location TEXT NOT NULL, file TEXT NOT NULL)');
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO shared VALUES (?,?,?)');
  }

  /** @param id of the entry */
  add(id: number, location: string, file: string): void {
    this.#insert.run(id, location, file);
  }

  /** In path order. */
  *inOrder(): Generator<NameOfShared> {
    this.#database.exec('CREATE INDEX IF NOT EXISTS shared_file ON shared (file)');
    const page = this.#database.prepare<[number], NameOfShared>(
      `SELECT entry.*, location, file, (SELECT count(*) FROM shared AS other WHERE other.file = shared.file) AS names
       FROM shared JOIN entry USING (id) WHERE shared.id > ? ORDER BY shared.id LIMIT ${PAGE_ROWS}`,
    );
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)!.id)) yield* rows;
  }
}
