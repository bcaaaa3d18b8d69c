import { DigestSet } from '../format/chunks/digest-set.ts';
import type { CatalogDatabase } from './schema.ts';

/**
 * Chunks that are damaged at the destination. It has something under their names, so it never requests them again: their
 * content has to be stored under other names.
 */
export class DamagedChunks {
  readonly #database: CatalogDatabase;

  constructor(database: CatalogDatabase) {
    this.#database = database;
  }

  /** @param digests 32 raw bytes each */
  record(digests: Iterable<Buffer>): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO damaged_chunk VALUES (?)');
    this.#database.transaction(() => {
      for (const digest of digests) insert.run(digest);
    })();
  }

  /** Forgets those that the destination lacks by now, so that it requests them. */
  forget(digests: Iterable<Buffer>): void {
    const remove = this.#database.prepare('DELETE FROM damaged_chunk WHERE digest = ?');
    this.#database.transaction(() => {
      for (const digest of digests) remove.run(digest);
    })();
  }

  /** Returns `undefined` if there are none, as nearly always. */
  digests(): DigestSet | undefined {
    const rows = this.#database.prepare<[], Buffer>('SELECT digest FROM damaged_chunk').pluck().all();
    if (rows.length === 0) return undefined;
    const digests = new DigestSet();
    for (const digest of rows) digests.add(digest);
    return digests;
  }
}
