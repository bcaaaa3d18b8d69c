import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import type { HistoryDatabase } from '../database.ts';

/** Chunks of a tree that is being read, by their digests. What was read is not read again after an interruption. */
export class StagedChunks {
  readonly #database: HistoryDatabase;

  constructor(database: HistoryDatabase) {
    this.#database = database;
  }

  has(digest: Uint8Array): boolean {
    return pluckOnce(this.#database, 'SELECT 1 FROM staged WHERE digest = ?').get(digest) === 1;
  }

  get(digest: Uint8Array): Buffer | undefined {
    return pluckOnce<[Uint8Array], Buffer>(this.#database, 'SELECT plaintext FROM staged WHERE digest = ?').get(digest);
  }

  put(chunks: Iterable<readonly [digest: Uint8Array, plaintext: Uint8Array]>): void {
    this.#database.transaction(() => {
      const insert = prepareOnce(this.#database, 'INSERT INTO staged VALUES (?, ?) ON CONFLICT DO NOTHING');
      for (const [digest, plaintext] of chunks) insert.run(digest, plaintext);
    })();
  }

  clear(): void {
    prepareOnce(this.#database, 'DELETE FROM staged').run();
  }
}
