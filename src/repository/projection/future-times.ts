import { pluckOnce } from '../../base/prepared-statements.ts';
import type { ProjectionDatabase } from './schema.ts';

/** When this computer first saw times that were in the future. It is forgotten with the rest of the projection, and then counted anew. */
export class FutureTimes {
  readonly #database: ProjectionDatabase;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
  }

  /**
   * Returns when a time was first seen: now if never before, or if the clock was set back since.
   *
   * @param name of what the time is stated for
   */
  seen(name: string, now: number): number {
    return pluckOnce<[string, number], number>(
      this.#database,
      `INSERT INTO future_time (name, seen) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET seen = min(seen, excluded.seen) RETURNING seen`,
    ).get(name, now)!;
  }
}
