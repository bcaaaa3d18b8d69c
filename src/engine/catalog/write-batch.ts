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
  #failure: { readonly reason: unknown } | undefined;

  constructor(database: CatalogDatabase, directories: Directories) {
    this.#database = database;
    this.#directories = directories;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
  }

  /**
   * Does one write. Where it fails, everything since the last flush is lost, and nothing more is written until `renew`:
   * SQLite may have rolled back a part of it by itself (a full disk), and an entry whose note of being changed is gone
   * would be missing from the next restore point without anybody noticing.
   */
  write<Result>(work: () => Result): Result {
    this.throwIfFailed();
    const isFull = this.#pending >= WRITES_PER_TRANSACTION || this.#directories.openBytes >= BYTES_PER_TRANSACTION;
    if (isFull) this.flush();
    try {
      if (this.#pending === 0) this.#begin.run();
      this.#pending += 1;
      return work();
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
  }

  /** Where that fails, everything since the last time is lost, as in `write`. */
  flush(): void {
    if (this.#pending === 0) return;
    try {
      this.#directories.store();
      this.#commit.run();
      this.#pending = 0;
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
  }

  /** Throws what a write failed with, unless that is over. */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.reason;
  }

  /** What was stored is as it should be: whoever looks at it anew may write again. */
  renew(): void {
    this.#failure = undefined;
  }

  #giveUp(reason: unknown): void {
    this.#failure = { reason };
    this.#pending = 0;
    this.#directories.forget();
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }
}
