import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asDestinationError } from '../../../src/agent/destination/embedded-errors.ts';
import { HoldfastError } from '../../../src/base/errors.ts';
import { TrialDeniedError } from '../../../src/s3/bucket-trial.ts';
import { BucketError, toBucketError, type BucketProblem } from '../../../src/s3/bucket-error.ts';
import { ServiceProblem } from '../../../src/service/request/problem.ts';

const ADDRESS = 's3://bucket/part';

let disk: string;
beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
});
afterEach(() => rmSync(disk, { recursive: true }));

test.each<readonly [BucketProblem, string]>([
  ['missing', 'destination_missing'],
  ['denied', 'permission_denied'],
  ['full', 'destination_full'],
  ['unreachable', 'service_unreachable'],
  ['unconditional', 'usage'],
  ['broken', 'service_unreachable'],
])('a bucket that is %s becomes %s', (problem, code) => {
  expect(asDestinationError(new BucketError(problem, 'x'), ADDRESS)).toMatchObject({ code });
});

test('a clock skew of a bucket becomes clock_wrong instead of wrong keys', () => {
  const skewed = toBucketError(Object.assign(new Error('x'), { name: 'RequestTimeTooSkewed' }));
  for (const error of [skewed, new TrialDeniedError('write', skewed)]) {
    expect(asDestinationError(error, ADDRESS)).toMatchObject({ code: 'clock_wrong', details: { address: ADDRESS } });
  }
});

test('a failure of a run names the destination', () => {
  const away = new ServiceProblem('unavailable');
  expect(asDestinationError(away, ADDRESS)).toMatchObject({ code: 'service_unreachable', retryable: true });
  writeFileSync(join(disk, 'holdfast-store.json'), '{}');
  expect(asDestinationError(away, disk)).toMatchObject({ code: 'destination_unwritable' });
  const full = new ServiceProblem('quota_exceeded', { detail: '5 of 6 bytes are used' });
  expect(asDestinationError(full, ADDRESS)).toMatchObject({
    code: 'quota_exceeded',
    details: { detail: '5 of 6 bytes are used' },
  });
});

test.each([
  ['a failure that nobody foresaw', new ServiceProblem('internal')],
  ['a store that cannot be written', new ServiceProblem('unavailable')],
  ['an answer of the service in this program', new HoldfastError('service_error', { status: 500 })],
])('an unplugged disk becomes destination_missing instead of %s', (_name, error) => {
  expect(asDestinationError(error, disk)).toMatchObject({ code: 'destination_missing', details: { directory: disk } });
  expect(asDestinationError(error, ADDRESS)).not.toMatchObject({ code: 'destination_missing' });
  writeFileSync(join(disk, 'holdfast-store.json'), '{}');
  expect(asDestinationError(error, disk)).not.toMatchObject({ code: 'destination_missing' });
});

test.each(['EIO', 'ESTALE', 'SQLITE_IOERR_WRITE'])('a disk that answers %s does not work', (code) => {
  writeFileSync(join(disk, 'holdfast-store.json'), '{}');
  const error = new ServiceProblem('internal', { cause: Object.assign(new Error('x'), { code }) });
  expect(asDestinationError(error, disk)).toMatchObject({
    code: 'destination_unwritable',
    details: { directory: disk, problem: code },
  });
});

test.each([
  [{ name: 'NoSuchBucket', status: 404 }, 'missing'],
  [{ name: 'AccessDenied', status: 403 }, 'denied'],
  [{ name: 'Forbidden', status: 403 }, 'denied'],
  [{ name: 'QuotaExceeded', status: 403 }, 'full'],
  [{ name: 'SlowDown', status: 503 }, 'unreachable'],
  [{ name: 'Error', status: undefined }, 'unreachable'],
  [{ name: 'MalformedXML', status: 400 }, 'broken'],
])('%j of a store becomes %s', ({ name, status }, problem) => {
  const error = Object.assign(new Error('x'), { name, $metadata: { httpStatusCode: status } });
  expect(toBucketError(error)).toMatchObject({ problem });
});
