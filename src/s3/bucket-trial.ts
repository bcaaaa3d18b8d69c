import { randomBytes } from 'node:crypto';
import { BucketError, toBucketError } from './bucket-error.ts';
import type { Bucket } from './bucket.ts';

/** The steps of a trial, in this order. */
type TrialStep = 'write' | 'read' | 'delete';

/** The keys lack the right for one of the steps. */
export class TrialDeniedError extends Error {
  override readonly name = 'TrialDeniedError';
  readonly step: TrialStep;

  constructor(step: TrialStep, cause: BucketError) {
    super(`the keys may not ${step}`, { cause });
    this.step = step;
  }
}

/** The bytes read differ from those written. */
export class TrialAlteredError extends Error {
  override readonly name = 'TrialAlteredError';
}

const TRIAL_BYTES = 1024;

/**
 * Writes an object to a part of a bucket, reads it back and deletes it: listing and reading would not detect a key that can only
 * read.
 *
 * @throws TrialDeniedError, TrialAlteredError, BucketError
 */
export async function tryBucket(bucket: Bucket): Promise<void> {
  const name = `holdfast-trial-${randomBytes(8).toString('hex')}`;
  const bytes = randomBytes(TRIAL_BYTES);
  await doing('write', () => bucket.putNew(name, bytes));
  try {
    const isKept = await doing('read', () => bucket.get(name));
    if (isKept?.equals(bytes) !== true) throw new TrialAlteredError('what was written is not what is read');
    if (await doing('write', () => bucket.putNew(name, bytes))) {
      throw new BucketError('unconditional', 'If-None-Match is not heeded');
    }
  } catch (error) {
    await bucket.delete([name]).catch(() => undefined);
    throw error;
  }
  await doing('delete', () => bucket.delete([name]));
}

async function doing<Result>(kind: TrialStep, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const problem = toBucketError(error);
    throw problem.problem === 'denied' ? new TrialDeniedError(kind, problem) : problem;
  }
}
