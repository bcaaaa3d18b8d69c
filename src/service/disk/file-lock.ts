import BetterSqlite from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks at a lock that somebody has. */
const PAUSE = 50;

/**
 * A lock of SQLite's on a file of its own, across processes and threads: the system takes it away from a process that dies.
 * Answers what gives it back; nothing where somebody has it.
 */
export function takeFileLock(file: string): (() => void) | undefined {
  const lock = new BetterSqlite(file, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  return () => void lock.close();
}

/** Runs `work` as soon as nobody has the lock. */
export async function underFileLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  let giveBack = takeFileLock(file);
  while (!giveBack) {
    await sleep(PAUSE);
    giveBack = takeFileLock(file);
  }
  try {
    return await work();
  } finally {
    giveBack();
  }
}
