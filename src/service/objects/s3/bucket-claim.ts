import { z } from 'zod';
import { BucketError } from './bucket-error.ts';
import type { Bucket } from './bucket.ts';

/** Says that this part of a bucket is a store, and whose. */
const MARKER = 'holdfast-store.json';

const LAYOUT_VERSION = 1;

/** A service's with its own database; or a home's, with a copy of its metadata beside the blobs. */
const marker = z.discriminatedUnion('use', [
  z.object({ format: z.literal('holdfast-bucket'), version: z.literal(LAYOUT_VERSION), use: z.literal('service') }),
  z.object({
    format: z.literal('holdfast-bucket'),
    version: z.literal(LAYOUT_VERSION),
    use: z.literal('home'),
    /** The key envelope of the account in base64, as it goes along with backups. */
    key_envelope: z.base64(),
  }),
]);

export type BucketUse = { readonly use: 'service' } | { readonly use: 'home'; readonly keyEnvelope: Uint8Array };

/** The part of the bucket is a newer version's, somebody else's, or used otherwise. */
export class ForeignBucketError extends Error {
  override readonly name = 'ForeignBucketError';
}

/** What a part of a bucket is used for; nothing where it is not used. @throws ForeignBucketError, BucketError */
export async function bucketUse(bucket: Bucket): Promise<BucketUse | undefined> {
  const bytes = await bucket.get(MARKER);
  if (!bytes) return undefined;
  const parsed = marker.safeParse(parseJson(bytes));
  if (!parsed.success) throw new ForeignBucketError(MARKER);
  const { data } = parsed;
  return data.use === 'home' ? { use: 'home', keyEnvelope: Buffer.from(data.key_envelope, 'base64') } : data;
}

/**
 * Makes a part of a bucket ours where it is nobody's, and answers whose it is then. A bucket that would let a second PUT
 * replace an object (no `If-None-Match`) is refused: there an address that was given out could overwrite a backup.
 *
 * @throws BucketError `unconditional` and whatever else hinders; ForeignBucketError
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

/** For a store that was to become ours and did not. */
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
