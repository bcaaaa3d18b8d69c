import BetterSqlite from 'better-sqlite3';
import { restrictDatabase } from '../../base/files/owner-only.ts';

/**
 * Takes a SQLite lock on a file of its own, across processes and threads; the system releases it when a process dies. Returns
 * the function that releases it, or `undefined` if the lock is held.
 */
export function takeFileLock(file: string): (() => void) | undefined {
  const lock = new BetterSqlite(file, { timeout: 0 });
  restrictDatabase(file);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  return () => void lock.close();
}
