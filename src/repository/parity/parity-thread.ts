import { serveTasks } from '../../base/limits/thread-pool.ts';
import { parityTasks, type ParityTasks } from './parity-tasks.ts';

serveTasks<ParityTasks>(parityTasks);
