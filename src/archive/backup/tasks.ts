import type { TaskRunner } from '../../base/limits/thread-pool.ts';
import type { chunkFiles } from '../chunk/chunk-files.ts';
import type { copyDatabase } from '../chunk/database/copy-database.ts';
import type { sealChunks } from '../chunk/seal-chunks.ts';

/** The tasks of a backup that run in worker threads. */
export interface BackupTasks {
  readonly chunkFiles: typeof chunkFiles;
  readonly sealChunks: typeof sealChunks;
  readonly copyDatabase: typeof copyDatabase;
}
export type BackupPool = TaskRunner<BackupTasks>;
