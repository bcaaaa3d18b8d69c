import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DiskReserve } from './disk/disk-reserve.ts';
import { MARKER_FILE } from './objects/folder/folder-object-store.ts';
import { StoreError } from './database/store-error.ts';
import type { MetadataStore } from './metadata-store.ts';
import { METADATA_FILE } from './database/sqlite/sqlite-connection.ts';
import { openSqliteMetadataStore } from './sqlite-metadata-store.ts';
import { toStoreError } from './database/store-directory.ts';

/** The location of a service's metadata. */
export interface MetadataLocation {
  /** Its folder. */
  readonly data: string;
  /** `postgres://…`, where the metadata is not in the folder. */
  readonly database?: string | undefined;
}

/**
 * Accesses the metadata of a service, even while it runs. Anybody who can read and write them is its operator, and needs no
 * password.
 *
 * @throws StoreError if there is no store; DatabaseError for PostgreSQL
 */
export async function asOperator<Result>(
  location: MetadataLocation,
  work: (metadata: MetadataStore) => Promise<Result>,
): Promise<Result> {
  const metadata = await openExisting(location);
  try {
    return await work(metadata);
  } finally {
    await metadata.close();
  }
}

async function openExisting({ data, database }: MetadataLocation): Promise<MetadataStore> {
  if (database !== undefined) {
    const { openPostgresMetadataStore } = await import('./postgres-metadata-store.ts');
    return openPostgresMetadataStore(database);
  }
  const file = join(data, METADATA_FILE);
  if (!existsSync(file)) throw new StoreError('store_missing', data);
  try {
    return openSqliteMetadataStore(file, undefined, new DiskReserve(data, MARKER_FILE));
  } catch (error) {
    throw toStoreError(error, data);
  }
}
