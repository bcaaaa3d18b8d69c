import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyDamagedError } from '../objects/metadata-copy/copy-seal.ts';
import { CopyOutdatedError, MetadataCopy } from '../objects/metadata-copy/metadata-copy.ts';
import type { BlobKey, ObjectStore } from '../objects/object-store.ts';
import { bucketAddress, type BucketConfig } from '../objects/s3/bucket-config.ts';
import { Bucket } from '../objects/s3/bucket.ts';
import { bucketUse, claimBucket, ForeignBucketError, releaseBucket } from '../objects/s3/bucket-claim.ts';
import { tryBucket } from '../objects/s3/bucket-trial.ts';
import { openS3ObjectStore } from '../objects/s3/s3-object-store.ts';
import type { Stores } from '../open-stores.ts';
import { StoreError } from '../store/store-error.ts';
import { makeDirectory } from '../disk/make-directory.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { METADATA_FILE } from '../store/database/sqlite-connection.ts';
import { openSqliteMetadataStore } from '../store/sqlite-metadata-store.ts';
import { finishStore, openStoreDirectory } from '../store/store-directory.ts';

/** A home's backups in a bucket. Can be sent to a thread. */
export interface HomeBucket {
  readonly config: BucketConfig;
  /** 32 bytes, derived from the master key: the copy of the metadata is sealed with it. */
  readonly metadataKey: Uint8Array;
  /** Where nobody has stored there yet: the key envelope that tells a new computer which key it needs. */
  readonly keyEnvelope?: Uint8Array | undefined;
}

export interface HomeStores extends Stores {
  /** Resolves when the metadata as they are now can be read by a new computer. */
  readonly publish: () => Promise<void>;
}

/** A person waits for the answer of a trial. */
const TRIAL_ATTEMPTS = 2;

/** The key envelope of the backups in a bucket; nothing where there are none. @throws StoreError, BucketError */
export async function lookIntoBucket(config: BucketConfig): Promise<Uint8Array | undefined> {
  return keyEnvelopeIn(new Bucket(config), config);
}

/**
 * The same of a bucket that may become somebody's: that what backups do can be done there is tried as well.
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
 * Gives up what `openHomeStores` has made for backups that never came. Whoever else has claimed that part of the bucket
 * meanwhile keeps it.
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
 * Opens the stores of a home: SQLite in a folder of its own, brought to what the bucket has before, and the bucket.
 *
 * @param create make the part of the bucket a store where it is none yet
 * @param prepare what a new store needs before it counts as one
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
      // A new computer would be told of their key, and find metadata under ours.
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
 * A new computer must not be told of blobs that are gone: the metadata that no longer name them go first, which fails where
 * another computer has written its own. A blob that never counted here may count there: two computers that go on from the
 * same generation give the same numbers to what both of them bring. It stays.
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

/** What was announced and never stored comes without a size. */
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
