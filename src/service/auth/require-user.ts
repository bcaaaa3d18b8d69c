import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { User } from './account-store.ts';

/** Returns a user. One who was just removed still has a token. @throws ServiceProblem `token_invalid` */
export async function requireUser({ metadata }: ServiceContext, userId: string): Promise<User> {
  const user = await metadata.accounts.user(userId);
  if (!user) throw new ServiceProblem('token_invalid');
  return user;
}
