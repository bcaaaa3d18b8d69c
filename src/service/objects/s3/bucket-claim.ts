import { z } from 'zod';
import { BucketError } from '../../../storage/bucket/bucket-error.ts';
import type { Bucket } from '../../../storage/bucket/bucket.ts';

/** Marks this part of a bucket as a service's store. */
const MARKER = 'holdfast-store.json';
/** Marks it as somebody's repository (docs/repository.md). */
const REPOSITORY = 'holdfast.json';

const marker = { format: 'holdfast-bucket', version: 1, use: 'service' } as const;
const form = z.object({
  format: z.literal(marker.format),
  version: z.literal(marker.version),
  use: z.literal(marker.use),
});

/** The part of the bucket was written by a newer version or another program, or is used for something else. */
export class ForeignBucketError extends Error {
  override readonly name = 'ForeignBucketError';
}

/**
 * Claims an unused part of a bucket for a service, unless one has done so. A bucket in which a second PUT replaces an object (no
 * `If-None-Match`) is refused: there an issued presigned URL could overwrite a backup.
 *
 * @throws BucketError `unconditional` or another problem; ForeignBucketError
 */
export async function claimBucket(bucket: Bucket): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(marker)}\n`);
  if (await isClaimed(bucket)) return;
  if (await hasRepository(bucket)) throw new ForeignBucketError(REPOSITORY);
  if (!(await bucket.putNew(MARKER, bytes))) {
    await isClaimed(bucket);
    return;
  }
  if (await bucket.putNew(MARKER, bytes)) {
    await bucket.delete([MARKER]);
    throw new BucketError('unconditional', 'If-None-Match is not heeded');
  }
  // Created meanwhile. Whoever creates one checks for this marker afterwards, so that at most one of both remains.
  if (await hasRepository(bucket)) {
    await bucket.delete([MARKER]);
    throw new ForeignBucketError(REPOSITORY);
  }
}

async function hasRepository(bucket: Bucket): Promise<boolean> {
  return (await bucket.size(REPOSITORY)) !== undefined;
}

/** @throws ForeignBucketError if somebody else has claimed it */
async function isClaimed(bucket: Bucket): Promise<boolean> {
  const bytes = await bucket.get(MARKER);
  if (!bytes) return false;
  if (!form.safeParse(parseJson(bytes)).success) throw new ForeignBucketError(MARKER);
  return true;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
