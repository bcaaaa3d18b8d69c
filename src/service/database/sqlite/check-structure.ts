import { ThreadPool } from '../../../base/limits/thread-pool.ts';
import type { StructureTasks } from './structure-thread.ts';

const pool = new ThreadPool<StructureTasks>(new URL('./structure-thread.ts', import.meta.url), {}, { size: 1 });

/** Returns what is wrong with the pages of a SQLite file, or `undefined`. Reads all of it, in a thread of its own. */
export function structureProblem(file: string): Promise<string | undefined> {
  return pool.run('check', file);
}
