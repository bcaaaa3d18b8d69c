import { describe, expect, test } from 'vitest';
import { Bucket } from '../../../../../src/storage/bucket/bucket.ts';
import { checkBucket } from '../../../../../src/service/operation/check/bucket.ts';
import { HAS_S3, newBucket } from '../../../../helpers/s3/s3-server.ts';

describe.skipIf(!HAS_S3)('the bucket', () => {
  test('passes if it refuses to replace objects, and stays empty', async () => {
    const config = await newBucket('part/');
    const { findings, skew } = await checkBucket(config);
    expect(findings).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/refuses to replace/) },
      { status: 'warning', message: expect.stringMatching(/without TLS/) },
    ]);
    expect(Math.abs(skew!)).toBeLessThan(60_000);
    const bucket = new Bucket(config);
    expect(await bucket.list('')).toEqual([]);
    bucket.close();
  });

  test('is reported without its keys if it is missing or rejects them', async () => {
    const config = await newBucket();
    expect((await checkBucket({ ...config, bucket: `${config.bucket}-2` })).findings).toMatchObject([
      { status: 'failed', message: expect.stringMatching(/is not there/) },
    ]);
    const credentials = { ...config.credentials, secretAccessKey: 'another-secret' };
    const { findings } = await checkBucket({ ...config, credentials });
    expect(findings).toMatchObject([{ status: 'failed', message: expect.stringMatching(/refuses these keys/) }]);
    expect(JSON.stringify(findings)).not.toContain('another-secret');
  });
});
