import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import type { ProjectionDatabase } from './schema.ts';

/** What this computer does for a repository from time to time. */
export type MaintenanceTask =
  | 'check-projection'
  | 'apply-policies'
  | 'collect'
  | 'ask-time'
  | 'keep-reserve'
  | 'compare-packs'
  | 'extend-locks'
  | 'look-for-trees';

/** Remembers when each task was last done. */
export class Maintenance {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /** Returns whether `interval` milliseconds have passed, or the clock was set back. */
  isDue(task: MaintenanceTask, now: number, interval: number): boolean {
    const time = pluckOnce<[string], number>(this.#database, 'SELECT time FROM maintenance WHERE name = ?').get(task);
    return time === undefined || now - time >= interval || now < time;
  }

  /** Makes a task that was never done due only after its interval. */
  begin(task: MaintenanceTask, now: number): void {
    prepareOnce(this.#database, 'INSERT INTO maintenance (name, time) VALUES (?, ?) ON CONFLICT (name) DO NOTHING').run(
      task,
      now,
    );
  }

  done(task: MaintenanceTask, now: number): void {
    prepareOnce(
      this.#database,
      'INSERT INTO maintenance (name, time) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET time = excluded.time',
    ).run(task, now);
  }
}
