import { createPostgresChunkStore } from './backup/store/postgres/chunks.ts';
import { createPostgresSessionTrees } from './backup/store/postgres/session-trees.ts';
import { createPostgresTreeStore } from './backup/store/postgres/trees.ts';
import { openPostgresDatabase } from './database/postgres/postgres-database.ts';
import { type MetadataStore, createMetadataStore } from './metadata-store.ts';

/**
 * Opens the metadata of a service in PostgreSQL, for any number of processes at once.
 *
 * @param url `postgres://user:password@host:port/name`
 * @param onEvents called after a transaction of this process that recorded events
 * @throws DatabaseError, NewerSchemaError
 */
export async function openPostgresMetadataStore(url: string, onEvents?: () => void): Promise<MetadataStore> {
  const database = await openPostgresDatabase(url, onEvents);
  return createMetadataStore(database, {
    trees: createPostgresTreeStore(database),
    chunks: createPostgresChunkStore(database),
    sessionTrees: createPostgresSessionTrees(database),
  });
}
