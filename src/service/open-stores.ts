import { openFolderObjectStore } from './objects/folder-object-store.ts';
import type { BucketConfig } from './objects/s3/bucket-config.ts';
import type { ObjectStore } from './objects/object-store.ts';
import type { MetadataStore } from './store/metadata-store.ts';
import { openSqliteMetadataStore } from './store/sqlite/sqlite-metadata-store.ts';
import { finishStore, openStoreDirectory, toStoreError } from './store/store-directory.ts';

export interface Stores {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly spoolDirectory: string;
}

export interface StoreOptions {
  readonly create: boolean;
  readonly onEvents?: () => void;
  /** Where blobs are, if not in the folder. */
  readonly bucket?: BucketConfig | undefined;
}

/**
 * Opens the stores of a folder: SQLite and files, or SQLite and a bucket. Throws `StoreError`; `BucketError` and
 * `ForeignBucketError` about the bucket.
 *
 * @param create make the folder a store where it is none yet
 * @param prepare what a new store needs before it counts as one
 */
export async function openStores(
  directory: string,
  { create, onEvents, bucket }: StoreOptions,
  prepare: (metadata: MetadataStore) => Promise<void> = async () => undefined,
): Promise<Stores> {
  const paths = await openStoreDirectory(directory, create);
  let metadata: MetadataStore | undefined;
  let objects: ObjectStore | undefined;
  try {
    metadata = openSqliteMetadataStore(paths.metadata, onEvents);
    objects = bucket ? await openServiceBucket(bucket) : openFolderObjectStore(directory);
    await prepare(metadata);
    await finishStore(paths);
    return { metadata, objects, spoolDirectory: paths.incoming };
  } catch (error) {
    await objects?.close();
    await metadata?.close();
    throw toStoreError(error, directory);
  }
}

/** Loaded when it is needed: the client of S3 is larger than the rest of the service. */
async function openServiceBucket(config: BucketConfig): Promise<ObjectStore> {
  const [{ Bucket }, { claimBucket, ForeignBucketError }, { openS3ObjectStore }] = await Promise.all([
    import('./objects/s3/bucket.ts'),
    import('./objects/s3/bucket-claim.ts'),
    import('./objects/s3/s3-object-store.ts'),
  ]);
  const bucket = new Bucket(config);
  try {
    const { use } = await claimBucket(bucket, { use: 'service' });
    if (use !== 'service') throw new ForeignBucketError('the backups of a home are there');
    return openS3ObjectStore(bucket);
  } catch (error) {
    bucket.close();
    throw error;
  }
}
