import type { CatalogDatabase } from '../schema.ts';
import type { Directories } from './directories.ts';
import { MIB } from '../../model/units.ts';

const WRITES_PER_TRANSACTION = 4096;
/** Approximate bytes of entries that are buffered until the end of a transaction. */
const BYTES_PER_TRANSACTION = 8 * MIB;

/**
 * Combines many small writes into one transaction. Writes that are not flushed when the process dies are lost, which only
 * costs time: everything in the catalog can be read again.
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
   * Does one write. If it fails, everything since the last flush is lost, and nothing more is written until `reset`: SQLite
   * may have rolled back a part of it by itself (a full disk), and an entry whose dirty path is lost would silently be
   * missing from the next restore point.
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
      this.#rollBack(error);
      throw error;
    }
  }

  /** Commits. If that fails, everything since the last flush is lost, as in `write`. */
  flush(): void {
    if (this.#pending === 0) return;
    try {
      this.#directories.store();
      this.#commit.run();
      this.#pending = 0;
    } catch (error) {
      this.#rollBack(error);
      throw error;
    }
  }

  /** Throws the error of a failed write, until `reset`. */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.reason;
  }

  /** Allows writing again after a failure. To be called before the stored state is read anew. */
  reset(): void {
    this.#failure = undefined;
  }

  #rollBack(reason: unknown): void {
    this.#failure = { reason };
    this.#pending = 0;
    this.#directories.forget();
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }
}
