import { pluckOnce, prepareOnce } from '../../base/statements.ts';
import type { ProjectionDatabase } from './schema.ts';

/** What this computer does for a repository from time to time. */
export type Chore =
  | 'check-projection'
  | 'apply-policies'
  | 'collect'
  | 'ask-time'
  | 'keep-reserve'
  | 'compare-packs'
  | 'extend-locks'
  | 'look-for-trees';

/** Remembers when each chore was last done. */
export class Chores {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Returns whether `interval` milliseconds have passed, or the clock was set back. */
  isDue(chore: Chore, now: number, interval: number): boolean {
    const time = pluckOnce<[string], number>(this.#database, 'SELECT time FROM chore WHERE name = ?').get(chore);
    return time === undefined || now - time >= interval || now < time;
  }

  /** Makes a chore that was never done due only after its interval. */
  begin(chore: Chore, now: number): void {
    prepareOnce(this.#database, 'INSERT INTO chore (name, time) VALUES (?, ?) ON CONFLICT (name) DO NOTHING').run(
      chore,
      now,
    );
  }

  done(chore: Chore, now: number): void {
    prepareOnce(
      this.#database,
      'INSERT INTO chore (name, time) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET time = excluded.time',
    ).run(chore, now);
  }
}
