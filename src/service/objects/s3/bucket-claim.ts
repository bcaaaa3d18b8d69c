import { z } from 'zod';
import { BucketError } from '../../../s3/bucket-error.ts';
import type { Bucket } from '../../../s3/bucket.ts';

/** Marks this part of a bucket as a store. */
const MARKER = 'holdfast-store.json';

const LAYOUT_VERSION = 1;

/** Used by a service with its own database, or by a home that also stores a copy of its metadata. */
const marker = z.discriminatedUnion('use', [
  z.object({ format: z.literal('holdfast-bucket'), version: z.literal(LAYOUT_VERSION), use: z.literal('service') }),
  z.object({
    format: z.literal('holdfast-bucket'),
    version: z.literal(LAYOUT_VERSION),
    use: z.literal('home'),
    /** The account's key envelope in base64, as it is stored with backups. */
    key_envelope: z.base64(),
  }),
]);

export type BucketUse = { readonly use: 'service' } | { readonly use: 'home'; readonly keyEnvelope: Uint8Array };

/** The part of the bucket was written by a newer version or another program, or is used for something else. */
export class ForeignBucketError extends Error {
  override readonly name = 'ForeignBucketError';
}

/** Returns the use of a part of a bucket; `undefined` if it is unused. @throws ForeignBucketError, BucketError */
export async function bucketUse(bucket: Bucket): Promise<BucketUse | undefined> {
  const bytes = await bucket.get(MARKER);
  if (!bytes) return undefined;
  const parsed = marker.safeParse(parseJson(bytes));
  if (!parsed.success) throw new ForeignBucketError(MARKER);
  const { data } = parsed;
  return data.use === 'home' ? { use: 'home', keyEnvelope: Buffer.from(data.key_envelope, 'base64') } : data;
}

/**
 * Claims an unused part of a bucket, and returns its use afterwards. A bucket in which a second PUT replaces an object (no
 * `If-None-Match`) is refused: there an issued presigned URL could overwrite a backup.
 *
 * @throws BucketError `unconditional` or another problem; ForeignBucketError
 */
export async function claimBucket(bucket: Bucket, use: BucketUse): Promise<BucketUse> {
  const bytes = Buffer.from(`${JSON.stringify(markerOf(use))}\n`);
  const found = await bucketUse(bucket);
  if (found) return found;
  if (!(await bucket.putNew(MARKER, bytes))) return (await bucketUse(bucket)) ?? use;
  if (await bucket.putNew(MARKER, bytes)) {
    await bucket.delete([MARKER]);
    throw new BucketError('unconditional', 'If-None-Match is not heeded');
  }
  return use;
}

/** Releases a claim after the store could not be created. */
export async function releaseBucket(bucket: Bucket): Promise<void> {
  await bucket.delete([MARKER]);
}

function markerOf(use: BucketUse): z.infer<typeof marker> {
  const common = { format: 'holdfast-bucket', version: LAYOUT_VERSION } as const;
  if (use.use === 'service') return { ...common, use: 'service' };
  return { ...common, use: 'home', key_envelope: Buffer.from(use.keyEnvelope).toString('base64') };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
