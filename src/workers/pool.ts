import { ThreadPool } from '../base/limits/thread-pool.ts';
import type { EngineTasks } from './tasks.ts';

/** The threads in which the engine chunks, seals, checks and writes. */
export class WorkerPool extends ThreadPool<EngineTasks> {
  /** @param size the number of threads; one for each processor by default */
  constructor(size?: number) {
    super(
      new URL('./worker.ts', import.meta.url),
      { sealChunks: async () => (await import('../archive/chunk/seal-chunks.ts')).sealChunks },
      { ...(size !== undefined && { size }), tasksBeforeNext: 2 },
    );
  }
}
