import type { CatalogDatabase } from './database.ts';

const WRITES_PER_TRANSACTION = 4096;

/**
 * Gathers many small writes into one transaction. What is not flushed when the process dies is lost, which costs work
 * and nothing else: the catalog only remembers what can be read again.
 */
export class WriteBatch {
  readonly #begin;
  readonly #commit;
  #pending = 0;

  constructor(database: CatalogDatabase) {
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /** To be called before each write. */
  onWrite(): void {
    if (this.#pending >= WRITES_PER_TRANSACTION) this.flush();
    if (this.#pending === 0) this.#begin.run();
    this.#pending += 1;
  }

  flush(): void {
    if (this.#pending === 0) return;
    this.#commit.run();
    this.#pending = 0;
  }
}
