import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';

/** Refuses what would grow the store on a disk of which only the room for signing in and restoring is left. @throws ServiceProblem 507 */
export function requireRoomToGrow({ reserve }: ServiceContext): void {
  if (reserve?.keep() !== false) return;
  throw new ServiceProblem('insufficient_storage', { detail: 'the room that is left is for signing in and restoring' });
}
