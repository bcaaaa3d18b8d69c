import { createHash } from 'node:crypto';
import { DiskReserve, withRoom } from './disk/disk-reserve.ts';
import { MARKER_FILE, openFolderObjectStore } from './objects/folder/folder-object-store.ts';
import type { BucketConfig } from '../storage/bucket/bucket-config.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { MetadataStore } from './metadata-store.ts';
import { openSqliteMetadataStore } from './sqlite-metadata-store.ts';
import {
  finishStore,
  isWholeStore,
  openStoreDirectory,
  readDatabaseMark,
  toStoreError,
} from './database/store-directory.ts';
import type { StorePaths } from './database/store-directory.ts';
import { StoreError } from './database/store-error.ts';

export interface Stores {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  /** Room in the folder for small writes; `undefined` if neither the metadata nor the blobs are there. */
  readonly reserve: DiskReserve | undefined;
  readonly spoolDirectory: string;
}

export interface StoreOptions {
  readonly create: boolean;
  readonly onEvents?: () => void;
  /** `postgres://user:password@host:port/name` if the metadata is not in the folder. */
  readonly database?: string | undefined;
  /** Location of blobs, if not in the folder. */
  readonly bucket?: BucketConfig | undefined;
}

/**
 * Opens the stores of a service: the metadata in its folder (SQLite) or in PostgreSQL, the blobs in its folder or in a bucket.
 * With PostgreSQL and a bucket any number of processes may serve them, each with its own folder for transfers in progress.
 * Throws `StoreError`; `BucketError` and `ForeignBucketError` about the bucket; `DatabaseError` about PostgreSQL.
 *
 * @param create initialises the folder as a store if necessary
 */
export async function openStores(directory: string, options: StoreOptions): Promise<Stores> {
  const { database, bucket } = options;
  const isInFolder = database === undefined || bucket === undefined;
  const reserve = isInFolder ? new DiskReserve(directory, MARKER_FILE) : undefined;
  const stores = await withRoom(
    () => openAll(directory, options, reserve),
    () => reserve?.giveUp() === true,
  ).catch((error: unknown) => {
    throw toStoreError(error, directory);
  });
  reserve?.keep();
  return stores;
}

async function openAll(directory: string, options: StoreOptions, reserve: DiskReserve | undefined): Promise<Stores> {
  const { create, database, bucket } = options;
  const paths = await openStoreDirectory(directory, create, database === undefined ? 'whole' : 'beside-database');
  let metadata: MetadataStore | undefined;
  let objects: ObjectStore | undefined;
  try {
    metadata = await openMetadata(paths, options, reserve);
    objects = bucket ? await openServiceBucket(bucket) : openFolderObjectStore(directory, reserve);
    if (database === undefined) await finishStore(paths);
    else await bindToDatabase(metadata, paths, bucket === undefined);
    return { metadata, objects, reserve, spoolDirectory: paths.incoming };
  } catch (error) {
    await objects?.close();
    await metadata?.close();
    throw error;
  }
}

async function openMetadata(
  paths: StorePaths,
  { database, onEvents }: StoreOptions,
  reserve: DiskReserve | undefined,
): Promise<MetadataStore> {
  if (database === undefined) return openSqliteMetadataStore(paths.metadata, onEvents, reserve);
  // Loaded on demand, like the modules below.
  const { openPostgresMetadataStore } = await import('./postgres-metadata-store.ts');
  return openPostgresMetadataStore(database, onEvents);
}

/**
 * A database and a folder of blobs belong together: with another one neither could return its data.
 * The folder is marked with an id derived from a secret of the database; the first folder of blobs is also recorded
 * in the database. Metadata that was moved into a database (export, import) keeps its secrets, so that its folder
 * remains valid; from then on the folder cannot be opened without the database.
 */
async function bindToDatabase(metadata: MetadataStore, paths: StorePaths, holdsBlobs: boolean): Promise<void> {
  const database = await nameOf(metadata);
  if (await isWholeStore(paths)) {
    const own = openSqliteMetadataStore(paths.metadata);
    try {
      if ((await nameOf(own)) !== database) throw new StoreError('store_unrecognised', paths.directory);
    } finally {
      await own.close();
    }
  }
  await finishStore(paths, database);
  const mark = await readDatabaseMark(paths);
  if (mark.database !== database || (holdsBlobs && (await blobFolderOf(metadata, mark.folder)) !== mark.folder)) {
    throw new StoreError('store_unrecognised', paths.directory);
  }
}

async function nameOf(metadata: MetadataStore): Promise<string> {
  const secret = await metadata.secret('presigned-url', 32);
  return createHash('sha256').update('database').update(secret).digest('hex').slice(0, 32);
}

/** Returns the folder whose blobs the database refers to: the given one if there was none. */
async function blobFolderOf(metadata: MetadataStore, folder: string): Promise<string> {
  return (await metadata.claimSecret('blob-folder', Buffer.from(folder, 'hex'))).toString('hex');
}

/** Loaded on demand: the S3 client is larger than the rest of the service. */
async function openServiceBucket(config: BucketConfig): Promise<ObjectStore> {
  const [{ Bucket }, { claimBucket }, { openS3ObjectStore }] = await Promise.all([
    import('../storage/bucket/bucket.ts'),
    import('./objects/s3/bucket-claim.ts'),
    import('./objects/s3/s3-object-store.ts'),
  ]);
  const bucket = new Bucket(config);
  try {
    await claimBucket(bucket);
    return openS3ObjectStore(bucket);
  } catch (error) {
    bucket.close();
    throw error;
  }
}
