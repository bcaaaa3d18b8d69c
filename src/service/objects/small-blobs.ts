import BetterSqlite from 'better-sqlite3';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BlobKey, KeyedBlob } from './object-store.ts';
import { syncDirectory } from './sync-directory.ts';

/** Large enough that a typical small blob needs no overflow page. Fixed when the database is made. */
const PAGE_BYTES = 32_768;

/** Pages in the log before SQLite moves them into the database: 32 MiB. */
const CHECKPOINT_PAGES = 1_024;

type OnBlob = (key: BlobKey, bytes: Buffer | undefined) => void;

/**
 * Small blobs as rows, since a file for each would cost ten times as much. Rows are keyed by the chunk's number, which
 * grows, so that they are appended; each carries its digest, so that the file can be read without the metadata.
 */
export class SmallBlobs {
  readonly #database: BetterSqlite.Database;
  readonly #file: string;
  readonly #putAll: (blobs: readonly KeyedBlob[]) => void;
  readonly #readAll: (keys: readonly BlobKey[], onBlob: OnBlob) => void;
  readonly #deleteAll: (ids: readonly number[]) => void;
  #directorySynced = false;

  constructor(file: string) {
    this.#file = file;
    this.#database = new BetterSqlite(file, { timeout: 15_000 });
    this.#database.pragma(`page_size = ${PAGE_BYTES}`);
    this.#database.pragma('journal_mode = WAL');
    this.#database.pragma('synchronous = NORMAL');
    this.#database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.#database.exec(
      `CREATE TABLE IF NOT EXISTS blob (chunk_id INTEGER PRIMARY KEY, digest BLOB NOT NULL, bytes BLOB NOT NULL)`,
    );
    const put = this.#database.prepare<[number, Buffer, Uint8Array]>(
      'INSERT OR REPLACE INTO blob (chunk_id, digest, bytes) VALUES (?, ?, ?)',
    );
    const putAll = this.#database.transaction((blobs: readonly KeyedBlob[]) => {
      for (const { key, bytes } of blobs) put.run(key.chunkId, Buffer.from(key.digest, 'hex'), bytes);
    });
    this.#putAll = (blobs) => putAll.immediate(blobs);
    const get = this.#database.prepare<[number], Buffer>('SELECT bytes FROM blob WHERE chunk_id = ?').pluck();
    this.#readAll = this.#database.transaction((keys: readonly BlobKey[], onBlob: OnBlob) => {
      for (const key of keys) onBlob(key, get.get(key.chunkId));
    });
    const remove = this.#database.prepare<[number]>('DELETE FROM blob WHERE chunk_id = ?');
    const deleteAll = this.#database.transaction((ids: readonly number[]) => {
      for (const id of ids) remove.run(id);
    });
    this.#deleteAll = (ids) => deleteAll.immediate(ids);
  }

  /** In one transaction. */
  put(blobs: readonly KeyedBlob[]): void {
    this.#putAll(blobs);
  }

  /** Hands each over as it is read, in their order: what was copied may be given back before the next one. */
  read(keys: readonly BlobKey[], onBlob: OnBlob): void {
    this.#readAll(keys, onBlob);
  }

  delete(keys: readonly BlobKey[]): void {
    this.#deleteAll(keys.map((key) => key.chunkId));
  }

  /**
   * Makes all commits durable off this thread. In WAL mode a committed page is in the log, or was synchronised when it
   * left the log (SQLite does so before it reuses it): synchronising the log is what a commit with synchronous = FULL
   * would have done.
   */
  async flush(): Promise<void> {
    const log = await open(`${this.#file}-wal`, 'r+');
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
    if (this.#directorySynced) return;
    await syncDirectory(dirname(this.#file));
    this.#directorySynced = true;
  }

  close(): void {
    this.#database.close();
  }
}
