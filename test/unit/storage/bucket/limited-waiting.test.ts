import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { limitWaiting } from '../../../../src/storage/bucket/limited-waiting.ts';
import { InstantClock } from '../../remote/instant-clock.ts';

/** A client each of whose attempts lasts so long, and ends with this error. */
function clientOf(milliseconds: number, { code = 'ETIMEDOUT', maxWaitMs = 120_000 } = {}) {
  const clock = new InstantClock();
  let tries = 0;
  const client = new S3Client({
    region: 'here',
    endpoint: 'http://127.0.0.1:1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 4,
    requestHandler: {
      handle: () => {
        clock.advance(milliseconds);
        tries += 1;
        return Promise.reject(Object.assign(new Error('no response'), { code }));
      },
    },
  });
  const outage = limitWaiting(client, { clock, maxWaitMs });
  const list = () => client.send(new ListObjectsV2Command({ Bucket: 'bucket' }));
  return { clock, outage, list, tries: () => tries };
}

test('a call ends once its silent attempts have lasted for long enough', async () => {
  const { list, tries } = clientOf(50_000);
  await expect(list()).rejects.toMatchObject({ name: 'BucketError', problem: 'unreachable', detail: 'ETIMEDOUT' });
  expect(tries()).toBe(3);
});

test('calls that follow do not ask again for a moment', async () => {
  const { list, tries, clock, outage } = clientOf(60_000, { maxWaitMs: 1_000 });
  await expect(list()).rejects.toMatchObject({ problem: 'unreachable' });
  await expect(list()).rejects.toMatchObject({ problem: 'unreachable' });
  expect(tries()).toBe(1);
  clock.advance(10_000);
  await expect(list()).rejects.toMatchObject({ problem: 'unreachable' });
  expect(tries()).toBe(2);
  outage.reached();
  await expect(list()).rejects.toMatchObject({ problem: 'unreachable' });
  expect(tries()).toBe(3);
});

test('the time of a transfer whose connection broke is no waiting', async () => {
  const { list, tries } = clientOf(60_000, { code: 'ECONNRESET' });
  await expect(list()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(tries()).toBe(4);
});
