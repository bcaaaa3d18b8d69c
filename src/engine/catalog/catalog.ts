import { Journal } from '../job/journal.ts';
import { openCatalogDatabase, type CatalogDatabase } from './database.ts';
import { CatalogEntries } from './entries.ts';
import { CatalogHistory } from './history.ts';

/** This computer's state between runs: one SQLite file in the home. It can always be rebuilt. */
export class Catalog implements Disposable {
  readonly entries: CatalogEntries;
  readonly history: CatalogHistory;
  readonly journal: Journal;
  readonly #database: CatalogDatabase;

  /** @throws HoldfastError `home_damaged`, `home_unwritable` */
  constructor(file: string) {
    this.#database = openCatalogDatabase(file);
    this.entries = new CatalogEntries(this.#database);
    this.history = new CatalogHistory(this.#database);
    this.journal = new Journal(this.#database);
  }

  close(): void {
    try {
      this.entries.flush();
    } finally {
      this.#database.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
