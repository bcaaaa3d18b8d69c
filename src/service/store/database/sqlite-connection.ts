import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { migrate } from '../schema/migrate-sqlite.ts';

/** Name of the metadata database inside a store's directory. */
export const METADATA_FILE = 'metadata.sqlite';

/** How long a writer waits for another process's transaction, in milliseconds. */
const BUSY_TIMEOUT = 15_000;

/**
 * Pages in the log before SQLite moves them into the database: 32 MiB. Digests fall all over their index, so that each
 * batch of chunks writes the same pages again; the more of these stand in the log, the fewer are moved.
 */
const CHECKPOINT_PAGES = 8_192;

/**
 * Opens the metadata database of a store and brings its schema up to date. Several processes may have it open at once
 * (the service, and the command line beside it); each transaction that writes starts with BEGIN IMMEDIATE.
 *
 * Commits survive the process at once. They survive a power cut after the next durable commit (`durably`).
 */
export function openMetadataDatabase(file: string): Database {
  const database = new BetterSqlite(file, { timeout: BUSY_TIMEOUT });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('cache_size = -16384');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma('temp_store = MEMORY');
    migrate(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Runs `work` in one transaction that is on disk, with everything committed before it, when this returns. */
export function durably<Result>(database: Database, work: () => Result): Result {
  database.pragma('synchronous = FULL');
  try {
    return database.transaction(work).immediate();
  } finally {
    database.pragma('synchronous = NORMAL');
  }
}
