import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyDamagedError } from '../objects/metadata-copy/copy-seal.ts';
import { CopyOutdatedError, MetadataCopy } from '../objects/metadata-copy/metadata-copy.ts';
import type { BlobKey, ObjectStore } from '../objects/object-store.ts';
import { bucketAddress, type BucketConfig } from '../../s3/bucket-config.ts';
import { Bucket } from '../../s3/bucket.ts';
import { bucketUse, claimBucket, ForeignBucketError, releaseBucket } from '../objects/s3/bucket-claim.ts';
import { tryBucket } from '../../s3/bucket-trial.ts';
import { openS3ObjectStore } from '../objects/s3/s3-object-store.ts';
import type { Stores } from '../open-stores.ts';
import { StoreError } from '../store/store-error.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { METADATA_FILE } from '../store/database/sqlite-connection.ts';
import { openSqliteMetadataStore } from '../store/sqlite-metadata-store.ts';
import { finishStore, openStoreDirectory } from '../store/store-directory.ts';

/** A home's backups in a bucket. Serialisable. */
export interface HomeBucket {
  readonly config: BucketConfig;
  /** 32 bytes derived from the master key, which encrypt the copy of the metadata. */
  readonly metadataKey: Uint8Array;
  /** The key envelope of an empty bucket, which identifies the key that a new computer needs. */
  readonly keyEnvelope?: Uint8Array | undefined;
}

export interface HomeStores extends Stores {
  /** Resolves when a new computer can read the current metadata. */
  readonly publish: () => Promise<void>;
}

/** A person waits for the result of a trial. */
const TRIAL_ATTEMPTS = 2;

/** Returns the key envelope of the backups in a bucket, or `undefined` if there are none. @throws StoreError, BucketError */
export async function lookIntoBucket(config: BucketConfig): Promise<Uint8Array | undefined> {
  return keyEnvelopeIn(new Bucket(config), config);
}

/**
 * Does the same for a bucket that may become a destination, and tries the operations of a backup there.
 *
 * @throws StoreError, BucketError, TrialDeniedError, TrialAlteredError
 */
export async function tryHomeBucket(config: BucketConfig): Promise<Uint8Array | undefined> {
  return keyEnvelopeIn(new Bucket(config, TRIAL_ATTEMPTS), config, tryBucket);
}

async function keyEnvelopeIn(
  bucket: Bucket,
  config: BucketConfig,
  attempt?: (bucket: Bucket) => Promise<void>,
): Promise<Uint8Array | undefined> {
  try {
    const use = await bucketUse(bucket);
    if (use?.use === 'service') throw new ForeignBucketError('a service stores there');
    await attempt?.(bucket);
    return use?.keyEnvelope;
  } catch (error) {
    throw asStoreError(error, config);
  } finally {
    bucket.close();
  }
}

/**
 * Removes what `openHomeStores` created if no backup followed. If somebody else has claimed that prefix of the bucket
 * meanwhile, it stays theirs.
 */
export async function abandonBucket(config: BucketConfig, directory: string, keyEnvelope: Uint8Array): Promise<void> {
  const bucket = new Bucket(config);
  try {
    const use = await bucketUse(bucket);
    if (use?.use === 'home' && isSame(use.keyEnvelope, keyEnvelope)) await releaseBucket(bucket);
    await rm(directory, { recursive: true, force: true });
  } finally {
    bucket.close();
  }
}

/**
 * Opens the stores of a home: SQLite in its own folder, updated from the bucket, and the bucket.
 *
 * @param create initialises the prefix of the bucket as a store if necessary
 * @param prepare fills a new store before it becomes visible
 * @throws StoreError, BucketError
 */
export async function openHomeStores(
  directory: string,
  { config, metadataKey, keyEnvelope }: HomeBucket,
  create: boolean,
  prepare: (metadata: MetadataStore) => Promise<void>,
): Promise<HomeStores> {
  const bucket = new Bucket(config);
  const copy = new MetadataCopy(bucket, metadataKey, join(directory, METADATA_FILE));
  let metadata: MetadataStore | undefined;
  try {
    if (create && keyEnvelope) {
      const claimed = await claimBucket(bucket, { use: 'home', keyEnvelope });
      if (claimed.use !== 'home') throw new ForeignBucketError('a service stores there');
      // A new computer would read their key envelope, and find metadata encrypted with our key.
      if (!isSame(claimed.keyEnvelope, keyEnvelope) && !(await copy.isPublished())) {
        throw new ForeignBucketError('somebody else has begun to store there');
      }
    }
    await makeDirectory(directory);
    const opened = await copy.open(async () => {
      const paths = await openStoreDirectory(directory, true);
      return { paths, metadata: openSqliteMetadataStore(paths.metadata) };
    });
    const { paths } = opened;
    metadata = opened.metadata;
    await prepare(metadata);
    await finishStore(paths);
    const publish = (): Promise<void> => copy.publish();
    const objects = withPublishedDeletions(openS3ObjectStore(bucket), publish);
    return { metadata, objects, spoolDirectory: paths.incoming, publish };
  } catch (error) {
    bucket.close();
    await metadata?.close();
    throw asStoreError(error, config);
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/**
 * A new computer must not read of missing blobs: metadata without them is published first, which fails if
 * another computer has published its own. A blob that is unused here may be used there: two computers that continue from the
 * same generation assign the same numbers to chunks that both upload. It stays.
 */
function withPublishedDeletions(objects: ObjectStore, publish: () => Promise<void>): ObjectStore {
  return {
    put: (blobs) => objects.put(blobs),
    receive: (key, body) => objects.receive(key, body),
    flush: () => objects.flush(),
    get: (keys, room) => objects.get(keys, room),
    delete: async (keys) => {
      const counted = keys.filter(hasCounted);
      if (counted.length === 0) return;
      await publish();
      await objects.delete(counted);
    },
    close: () => objects.close(),
    ...(objects.direct ? { direct: objects.direct } : {}),
  };
}

/** Announced chunks that were never stored have no size. */
function hasCounted({ size }: BlobKey): boolean {
  return size > 0;
}

function asStoreError(error: unknown, config: BucketConfig): unknown {
  const address = bucketAddress(config);
  if (error instanceof ForeignBucketError) return new StoreError('store_unrecognised', address, error);
  if (error instanceof CopyDamagedError || error instanceof CopyOutdatedError) {
    return new StoreError('store_damaged', address, error);
  }
  return error;
}
