import { openFolderObjectStore } from './objects/folder-object-store.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { MetadataStore } from './store/metadata-store.ts';
import { openSqliteMetadataStore } from './store/sqlite/sqlite-metadata-store.ts';
import { finishStore, openStoreDirectory, toStoreError } from './store/store-directory.ts';

export interface Stores {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly spoolDirectory: string;
}

/**
 * Opens the stores of a folder: SQLite and files. Throws `StoreError`.
 *
 * @param create make the folder a store where it is none yet
 * @param prepare what a new store needs before it counts as one
 */
export async function openStores(
  directory: string,
  { create, onEvents }: { readonly create: boolean; readonly onEvents?: () => void },
  prepare: (metadata: MetadataStore) => Promise<void> = async () => undefined,
): Promise<Stores> {
  const paths = await openStoreDirectory(directory, create);
  let metadata: MetadataStore | undefined;
  let objects: ObjectStore | undefined;
  try {
    metadata = openSqliteMetadataStore(paths.metadata, onEvents);
    objects = openFolderObjectStore(directory);
    await prepare(metadata);
    await finishStore(paths);
    return { metadata, objects, spoolDirectory: paths.incoming };
  } catch (error) {
    await objects?.close();
    await metadata?.close();
    throw toStoreError(error, directory);
  }
}
