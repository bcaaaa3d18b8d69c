import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import type { ProjectionDatabase } from './schema.ts';

/** When the locks of files end, as far as this computer knows. A file that is not in it may be locked by another computer. */
export class LockTable {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Returns the end of a file's lock in milliseconds since the epoch; 0 if it is unknown. */
  until(name: string): number {
    return pluckOnce<[string], number>(this.#database, 'SELECT until FROM locked_file WHERE name = ?').get(name) ?? 0;
  }

  record(name: string, until: number): void {
    prepareOnce(
      this.#database,
      'INSERT INTO locked_file (name, until) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET until = excluded.until',
    ).run(name, until);
  }

  /** Forgets locks that have ended. */
  forgetUntil(time: number): void {
    prepareOnce(this.#database, 'DELETE FROM locked_file WHERE until <= ?').run(time);
  }
}
