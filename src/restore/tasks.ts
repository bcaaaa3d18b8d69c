import type { TaskRunner } from '../base/limits/thread-pool.ts';
import type { chunkFiles } from '../archive/chunk/chunk-files.ts';
import type { matchChunks } from './conflicts/match-chunks.ts';
import type { checkChunks } from './verify/check-chunks.ts';
import type { syncTarget } from './write/target.ts';
import type { writeFiles } from './write/write-files.ts';

/** The tasks of a restore or a verification that run in worker threads. */
export interface RestoreTasks {
  readonly checkChunks: typeof checkChunks;
  /** Chunks the files in the target, to compare them with those of the restore point. */
  readonly chunkFiles: typeof chunkFiles;
  readonly matchChunks: typeof matchChunks;
  readonly syncTarget: typeof syncTarget;
  readonly writeFiles: typeof writeFiles;
}
export type RestorePool = TaskRunner<RestoreTasks>;
