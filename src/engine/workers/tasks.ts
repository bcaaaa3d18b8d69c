import type { BackupTasks } from '../backup/tasks.ts';
import type { RestoreTasks } from '../restore/tasks.ts';

/** Every task of the engine; `worker.ts` has their handlers. */
export interface EngineTasks extends BackupTasks, RestoreTasks {}
