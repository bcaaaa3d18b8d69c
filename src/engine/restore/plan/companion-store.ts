import type { Database, Statement } from 'better-sqlite3';

/** The part of a plan that says which logs of other versions have to leave the databases that are restored beside them. */
export class CompanionStore {
  readonly #insert: Statement;
  readonly #of: Statement<[number], string>;
  #isEmpty = true;

  /** @param database of the plan */
  constructor(database: Database) {
    database.exec(
      'CREATE TABLE companion (id INTEGER NOT NULL, suffix TEXT NOT NULL, PRIMARY KEY (id, suffix)) WITHOUT ROWID',
    );
    this.#insert = database.prepare('INSERT INTO companion VALUES (?, ?)');
    this.#of = database.prepare<[number], string>('SELECT suffix FROM companion WHERE id = ?').pluck();
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** @param id of the database's entry @param suffix of the name beside it */
  add(id: number, suffix: string): void {
    this.#isEmpty = false;
    this.#insert.run(id, suffix);
  }

  /** Returns the ends of the names that have to be free before an entry is there. */
  of(id: number): readonly string[] {
    return this.#isEmpty ? [] : this.#of.all(id);
  }
}
