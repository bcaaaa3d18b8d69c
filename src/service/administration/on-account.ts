import { resolve } from 'node:path';
import { asOperatorOf, type MetadataLocation } from '../operator-access.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { asServiceDataError } from './service-data-error.ts';

/** An account by its owner's e-mail address, and the location of the service's data. */
export interface AccountLocation extends MetadataLocation {
  readonly email: string;
}

/** Works on an account as the operator. @throws HoldfastError `usage` if the account does not exist */
export async function onAccount<Result>(
  { data, database, email }: AccountLocation,
  work: (metadata: MetadataStore, accountId: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await asOperatorOf({ data: resolve(data), database }, email, work);
  } catch (error) {
    throw asServiceDataError(error);
  }
}
