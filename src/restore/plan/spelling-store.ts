import type Database from 'better-sqlite3';
import type { PlannedEntry } from './planned-entry.ts';

/** The names that entries of a plan have got, by a key that all spellings of a name have in common. */
export class SpellingStore {
  readonly #insert: Database.Statement;
  readonly #find: Database.Statement<[string], PlannedEntry['type']>;

  constructor(database: Database.Database) {
    database.exec('CREATE TABLE spelling (key TEXT PRIMARY KEY, type TEXT NOT NULL) WITHOUT ROWID');
    this.#insert = database.prepare('INSERT OR IGNORE INTO spelling VALUES (?,?)');
    this.#find = database.prepare<[string], PlannedEntry['type']>('SELECT type FROM spelling WHERE key = ?').pluck();
  }

  /** Claims a name for one entry; returns the type of the entry that has it already. */
  claim(key: string, type: PlannedEntry['type']): PlannedEntry['type'] | undefined {
    return this.#insert.run(key, type).changes === 1 ? undefined : this.#find.get(key);
  }
}
