import { resolve } from 'node:path';
import type { User } from '../auth/account-store.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { asOperator, type MetadataLocation } from '../operator-access.ts';
import { ServiceProblem } from '../request/problem.ts';
import { asServiceDataError } from './service-data-error.ts';

/** An account by the e-mail address of one of its users, and the location of the service's data. */
export interface AccountLocation extends MetadataLocation {
  readonly email: string;
}

/** Works on a service as its operator. @throws HoldfastError `usage` if there is none, or `work` refuses */
export async function onService<Result>(
  { data, database }: MetadataLocation,
  work: (metadata: MetadataStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await asOperator({ data: resolve(data), database }, work);
  } catch (error) {
    throw asServiceDataError(error);
  }
}

/** Works on an account as the operator. @throws HoldfastError `usage` if nobody has the e-mail address */
export function onAccount<Result>(
  location: AccountLocation,
  work: (metadata: MetadataStore, accountId: string, user: User) => Promise<Result>,
): Promise<Result> {
  return onService(location, async (metadata) => {
    const user = await metadata.accounts.userByEmail(location.email);
    if (!user) throw new ServiceProblem('not_found', { detail: 'no account has this e-mail address' });
    return work(metadata, user.accountId, user);
  });
}
