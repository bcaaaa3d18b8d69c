import { serveTasks } from '../../base/thread-pool.ts';
import { parityTasks, type ParityTasks } from './parity-tasks.ts';

serveTasks<ParityTasks>(parityTasks);
