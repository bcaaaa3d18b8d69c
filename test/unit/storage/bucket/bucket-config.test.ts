import { describe, expect, test } from 'vitest';
import { bucketAddress, credentialsFrom, parseBucketAddress } from '../../../../src/storage/bucket/bucket-config.ts';

describe('the address of a bucket', () => {
  test.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '' }, 's3://bucket'],
    ['s3://bucket/', { bucket: 'bucket', prefix: '' }, 's3://bucket'],
    ['s3://my.bucket-1/laptop', { bucket: 'my.bucket-1', prefix: 'laptop/' }, 's3://my.bucket-1/laptop'],
    ['s3://bucket/a/b//', { bucket: 'bucket', prefix: 'a/b/' }, 's3://bucket/a/b'],
  ])('%s', (address, parsed, written) => {
    expect(parseBucketAddress(address)).toEqual(parsed);
    expect(bucketAddress(parsed)).toBe(written);
  });

  test.each([
    'bucket',
    's3:/bucket',
    's3://',
    's3://Bucket',
    's3://a',
    's3://bucket/../x',
    's3://bucket/a//b',
    's3://bucket/a b',
    's3://bucket?x',
    `s3://bucket/${'a'.repeat(501)}`,
  ])('is not %s', (address) => {
    expect(parseBucketAddress(address)).toBeUndefined();
  });
});

test('reads the credentials that all S3 programs use, or none', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  expect(credentialsFrom(keys)).toEqual({ accessKeyId: 'a', secretAccessKey: 'b' });
  expect(credentialsFrom({ ...keys, AWS_SESSION_TOKEN: 'c' })).toMatchObject({ sessionToken: 'c' });
  expect(credentialsFrom({ ...keys, AWS_SECRET_ACCESS_KEY: '' })).toBeUndefined();
  expect(credentialsFrom({})).toBeUndefined();
});
