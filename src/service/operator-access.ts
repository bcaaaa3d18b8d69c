import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceProblem, StoreError } from './problem.ts';
import type { MetadataStore } from './store/metadata-store.ts';
import { METADATA_FILE } from './store/sqlite/database.ts';
import { openSqliteMetadataStore } from './store/sqlite/sqlite-metadata-store.ts';
import { toStoreError } from './store/store-directory.ts';

/**
 * Works on the metadata of the store in the directory `data`, also while a service runs on it. Whoever may read and write
 * the folder is its operator, and needs no password.
 *
 * @throws StoreError where there is no store
 */
export async function asOperator<Result>(
  data: string,
  work: (metadata: MetadataStore) => Promise<Result>,
): Promise<Result> {
  const metadata = openExisting(data);
  try {
    return await work(metadata);
  } finally {
    await metadata.close();
  }
}

/**
 * As `asOperator`, on the account that somebody with this e-mail address belongs to.
 *
 * @throws ServiceProblem `not_found` where nobody has it; StoreError
 */
export async function asOperatorOf<Result>(
  data: string,
  email: string,
  work: (metadata: MetadataStore, accountId: string) => Promise<Result>,
): Promise<Result> {
  return asOperator(data, async (metadata) => {
    const user = await metadata.accounts.userByEmail(email);
    if (!user) throw new ServiceProblem('not_found', { detail: 'no account has this e-mail address' });
    return work(metadata, user.accountId);
  });
}

function openExisting(data: string): MetadataStore {
  const file = join(data, METADATA_FILE);
  if (!existsSync(file)) throw new StoreError('store_missing', data);
  try {
    return openSqliteMetadataStore(file);
  } catch (error) {
    throw toStoreError(error, data);
  }
}
