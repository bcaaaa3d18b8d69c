import Database from 'better-sqlite3';
import { HoldfastError, systemCodeOf } from '../errors/errors.ts';
import { restrictDatabase } from './owner-only.ts';

/**
 * A lock between processes: an open exclusive transaction on an empty SQLite file. The operating system ends it with the
 * process, however that ends, so it is never stale, and two processes cannot both take over a dead one's.
 */
export class ProcessLock implements Disposable {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /**
   * Returns `undefined` if another process still has the lock after `patienceMs`.
   *
   * @throws HoldfastError `home_unwritable`
   */
  static take(file: string, patienceMs: number): ProcessLock | undefined {
    let database: Database.Database | undefined;
    try {
      database = new Database(file, { timeout: patienceMs });
      restrictDatabase(file);
      database.exec('BEGIN EXCLUSIVE');
      return new ProcessLock(database);
    } catch (error) {
      database?.close();
      if (systemCodeOf(error)?.startsWith('SQLITE_BUSY')) return undefined;
      throw new HoldfastError('home_unwritable', { file, problem: systemCodeOf(error) }, { cause: error });
    }
  }

  release(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
