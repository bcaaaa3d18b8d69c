import Database from 'better-sqlite3';
import { digestOf } from '../../format/chunks/digest.ts';

/** The chunks that earlier parts of a verification have checked, on disk: those of many restore points do not fit in memory. */
export class CheckedDigests implements Disposable {
  readonly #database: Database.Database;
  readonly #find: Database.Statement<[Buffer]>;
  readonly #insert: Database.Statement<[Buffer]>;

  constructor() {
    // SQLite deletes a database without a name when it is closed, and a killed process leaves nothing either.
    this.#database = new Database('');
    this.#database.pragma('journal_mode = OFF');
    this.#database.pragma('synchronous = OFF');
    this.#database.exec('CREATE TABLE checked (digest BLOB PRIMARY KEY) WITHOUT ROWID');
    this.#database.exec('BEGIN');
    this.#find = this.#database.prepare<[Buffer]>('SELECT 1 FROM checked WHERE digest = ?').pluck();
    this.#insert = this.#database.prepare<[Buffer]>('INSERT OR IGNORE INTO checked VALUES (?)');
  }

  /** @param hash `sha256:…` */
  has(hash: string): boolean {
    return this.#find.get(digestOf(hash)) !== undefined;
  }

  add(hash: string): void {
    this.#insert.run(digestOf(hash));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
