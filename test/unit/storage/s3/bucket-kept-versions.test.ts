import { describe, expect, test } from 'vitest';
import { BucketError } from '../../../../src/storage/bucket/bucket-error.ts';
import type { Bucket } from '../../../../src/storage/bucket/bucket.ts';
import { BucketKeptVersions } from '../../../../src/storage/s3/bucket-kept-versions.ts';

/** A bucket that answers with its versioning, and counts how often it is asked. */
function bucketOf(answers: readonly (string | Error)[]): { readonly bucket: Bucket; asked: number } {
  const state = { asked: 0 };
  const status = async (): Promise<string> => {
    state.asked += 1;
    const answer = answers[Math.min(state.asked, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const versions = { status, pages: async function* () {} };
  return Object.assign(state, { bucket: { versions } as unknown as Bucket });
}

const keptBy = (bucket: Bucket): BucketKeptVersions =>
  new BucketKeptVersions(bucket, { isSupported: async () => false }, (error) => error);

describe('what a bucket keeps of deleted files', () => {
  test('is asked for once', async () => {
    const one = bucketOf(['Enabled']);
    const kept = keptBy(one.bucket);
    expect([await kept.areKept(), await kept.areKept(), await kept.bytes()]).toEqual([true, true, 0]);
    expect(one.asked).toBe(1);
  });

  test('is asked for again after a failure', async () => {
    const one = bucketOf([new BucketError('unreachable', 'away'), 'Enabled']);
    const kept = keptBy(one.bucket);
    await expect(kept.areKept()).rejects.toThrow('away');
    expect(await kept.areKept()).toBe(true);
  });
});
