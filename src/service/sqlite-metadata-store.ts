import { createSqliteChunkStore } from './backup/store/sqlite/chunks.ts';
import { createSqliteSessionTrees } from './backup/store/sqlite/session-trees.ts';
import { createSqliteTreeStore } from './backup/store/sqlite/trees.ts';
import { openSqliteDatabase } from './database/sqlite/sqlite-database.ts';
import type { DiskReserve } from './disk/disk-reserve.ts';
import { type MetadataStore, createMetadataStore } from './metadata-store.ts';

/**
 * Opens the metadata of a store in one SQLite file.
 *
 * @param onEvents called after a transaction that recorded events
 * @param reserve is given up for small writes if the disk is full
 * @throws NewerSchemaError
 */
export function openSqliteMetadataStore(file: string, onEvents?: () => void, reserve?: DiskReserve): MetadataStore {
  const database = openSqliteDatabase(file, onEvents, reserve);
  return createMetadataStore(database, {
    trees: createSqliteTreeStore(database),
    chunks: createSqliteChunkStore(database),
    sessionTrees: createSqliteSessionTrees(database),
  });
}
