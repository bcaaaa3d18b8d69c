import { expect, test } from 'vitest';
import { toBucketError } from '../../../../src/storage/bucket/bucket-error.ts';

test.each([
  [{ name: 'NoSuchBucket', status: 404 }, 'missing'],
  [{ name: 'AccessDenied', status: 403 }, 'denied'],
  [{ name: 'Forbidden', status: 403 }, 'denied'],
  [{ name: 'QuotaExceeded', status: 403 }, 'full'],
  [{ name: 'XMinioAdminBucketQuotaExceeded', status: 400 }, 'full'],
  [{ name: 'XMinioStorageFull', status: 507 }, 'full'],
  [{ name: 'SlowDown', status: 503 }, 'unreachable'],
  [{ name: 'Error', status: undefined }, 'unreachable'],
  [{ name: 'MalformedXML', status: 400 }, 'broken'],
])('%j of a store becomes %s', ({ name, status }, problem) => {
  const error = Object.assign(new Error('x'), { name, $metadata: { httpStatusCode: status } });
  expect(toBucketError(error)).toMatchObject({ problem });
});

test.each(['FwoGZXIvYXdzEBYaDH4711', 'the token x y', 'https://a.test/?X-Amz-Signature=1'])(
  'the code %s of a store, which may echo a token, is in no message',
  (name) => {
    for (const status of [400, 409, undefined]) {
      const error = Object.assign(new Error(name), { name, code: name, $metadata: { httpStatusCode: status } });
      const { message, detail } = toBucketError(error);
      expect(`${message} ${detail}`).not.toContain(name);
    }
  },
);
