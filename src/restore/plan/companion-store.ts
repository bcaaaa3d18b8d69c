import type { Database, Statement } from 'better-sqlite3';

/** The part of a plan that says which logs of other versions have to leave the databases that are restored beside them. */
export class CompanionStore {
  readonly #insert: Statement;
  readonly #of: Statement<[number], string>;
  #isEmpty = true;

  /** @param database of the plan */
  constructor(database: Database) {
    database.exec(
      'CREATE TABLE companion (id INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (id, name)) WITHOUT ROWID',
    );
    this.#insert = database.prepare('INSERT INTO companion VALUES (?, ?)');
    this.#of = database.prepare<[number], string>('SELECT name FROM companion WHERE id = ?').pluck();
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** @param id of the database's entry, or of the one that makes its folder a database @param name of the log beside it */
  add(id: number, name: string): void {
    this.#isEmpty = false;
    this.#insert.run(id, name);
  }

  /** Returns the names beside it that have to be free before an entry is there. */
  of(id: number): readonly string[] {
    return this.#isEmpty ? [] : this.#of.all(id);
  }
}
