import BetterSqlite from 'better-sqlite3';
import { serveTasks } from '../../../base/limits/thread-pool.ts';

// The program of the thread in which a database is checked: reading gigabytes would stop all requests.

export interface StructureTasks {
  check(file: string): { readonly value: string | undefined };
}

serveTasks<StructureTasks>({ check: (file) => ({ value: problemIn(file) }) });

function problemIn(file: string): string | undefined {
  try {
    const database = new BetterSqlite(file, { readonly: true, fileMustExist: true });
    try {
      const result = String(database.pragma('quick_check(1)', { simple: true }));
      return result === 'ok' ? undefined : result;
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof BetterSqlite.SqliteError) || !/CORRUPT|NOTADB|IOERR/.test(error.code)) throw error;
    return error.message;
  }
}
