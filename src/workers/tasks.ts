import type { BackupTasks } from '../archive/backup/tasks.ts';
import type { CopyTasks } from '../copy/types.ts';
import type { RestoreTasks } from '../restore/tasks.ts';

/** Every task of the engine; `worker.ts` has their handlers. */
export interface EngineTasks extends BackupTasks, CopyTasks, RestoreTasks {}
