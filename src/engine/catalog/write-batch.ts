import type { CatalogDatabase } from './database.ts';
import type { Directories } from './directories.ts';

const WRITES_PER_TRANSACTION = 4096;
/** Bytes of entries that are held until the end of a transaction, about. */
const BYTES_PER_TRANSACTION = 8 * 1024 * 1024;

/**
 * Gathers many small writes into one transaction. What is not flushed when the process dies is lost, which costs work
 * and nothing else: the catalog only remembers what can be read again.
 */
export class WriteBatch {
  readonly #database: CatalogDatabase;
  readonly #directories: Directories;
  readonly #begin;
  readonly #commit;
  #pending = 0;

  constructor(database: CatalogDatabase, directories: Directories) {
    this.#database = database;
    this.#directories = directories;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** To be called before each write. */
  onWrite(): void {
    const isFull = this.#pending >= WRITES_PER_TRANSACTION || this.#directories.openBytes >= BYTES_PER_TRANSACTION;
    if (isFull) this.flush();
    if (this.#pending === 0) this.#begin.run();
    this.#pending += 1;
  }

  /** Where that fails, everything since the last time is lost. */
  flush(): void {
    if (this.#pending === 0) return;
    this.#pending = 0;
    try {
      this.#directories.store();
      this.#commit.run();
    } catch (error) {
      this.#directories.forget();
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
