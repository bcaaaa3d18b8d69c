import type Database from 'better-sqlite3';
import { comparePaths } from '../../../protocol/path.ts';

interface FileRow {
  readonly id: number;
  readonly path: string;
}

const WINDOW_ROWS = 2000;

/**
 * Finds files of the plan by path. A manifest mostly comes in the plan's own order, where each is the next one; only what
 * comes otherwise is looked up, by an index that is made when it is first needed.
 */
export class FileCursor {
  readonly #database: Database.Database;
  readonly #window: Database.Statement;
  #rows: readonly FileRow[] = [];
  #next = 0;
  #ended = false;
  #lookUp: Database.Statement | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#window = database.prepare(
      `SELECT id, path FROM entry WHERE id > ? AND type = 'file' ORDER BY id LIMIT ${WINDOW_ROWS}`,
    );
  }

  /** The id of the file with that path, or nothing. */
  find(path: string): number | undefined {
    for (let row = this.#peek(); row; row = this.#peek()) {
      const order = row.path === path ? 0 : comparePaths(row.path, path);
      if (order > 0) return this.#search(path);
      this.#next += 1;
      if (order === 0) return row.id;
    }
    return this.#search(path);
  }

  #peek(): FileRow | undefined {
    if (this.#next === this.#rows.length && !this.#ended) {
      this.#rows = this.#window.all(this.#rows.at(-1)?.id ?? 0) as FileRow[];
      this.#next = 0;
      this.#ended = this.#rows.length === 0;
    }
    return this.#rows[this.#next];
  }

  #search(path: string): number | undefined {
    if (!this.#lookUp) {
      this.#database.exec('CREATE INDEX entry_path ON entry (path)');
      this.#lookUp = this.#database.prepare(`SELECT id FROM entry WHERE path = ? AND type = 'file'`);
    }
    return (this.#lookUp.get(path) as { id: number } | undefined)?.id;
  }
}
