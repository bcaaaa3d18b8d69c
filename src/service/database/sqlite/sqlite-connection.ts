import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { restrictDatabase } from '../../../base/files/owner-only.ts';
import { createSqliteSchema } from '../schema/sqlite-schema.ts';

/** Name of the metadata database inside a store's directory. */
export const METADATA_FILE = 'metadata.sqlite';

/** The longest wait of a writer for another process's transaction, in milliseconds. */
const BUSY_TIMEOUT = 15_000;

/**
 * Pages in the log before SQLite moves them into the database: 32 MiB. Digests are spread over their whole index, so each
 * batch of chunks writes the same pages again; a longer log moves fewer of them.
 */
const CHECKPOINT_PAGES = 8_192;

/**
 * Opens the metadata database of a store and creates its tables if it is new. Several processes may have it open at once (the
 * service, and the command line beside it); each transaction that writes starts with BEGIN IMMEDIATE.
 *
 * Commits survive the end of the process at once. They survive a power cut after the next durable commit, which is one with
 * `synchronous = FULL` (`sqlite-driver.ts`).
 *
 * @throws NewerSchemaError
 */
export function openSqliteConnection(file: string): Database {
  const connection = new BetterSqlite(file, { timeout: BUSY_TIMEOUT });
  restrictDatabase(file);
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.pragma('cache_size = -16384');
    connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    connection.pragma('temp_store = MEMORY');
    createSqliteSchema(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}
