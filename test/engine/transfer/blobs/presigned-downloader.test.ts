import { expect, test } from 'vitest';
import type { SignedInConnection } from '../../../../src/engine/transfer/connection.ts';
import type { StrictService } from '../../../helpers/strict-service/strict-service.ts';
import { backUp, deviceOf, downloadAll, sampleFile, strictService } from '../connections.ts';
import { InstantClock } from '../instant-clock.ts';

/** A service with one file of this many small chunks, and a restore session for it. */
async function stored(chunks: number) {
  const sample = sampleFile(
    '/a',
    Array.from({ length: chunks }, (_, index) => index + 1),
  );
  const service = await strictService();
  const clock = new InstantClock();
  const connection = deviceOf(service, { clock });
  await backUp(connection, service.device.id, { files: [sample.file], blobs: sample.blobs });
  const sessionId = await restoreSession(connection, service);
  const hashes = sample.blobs.map(({ hash }) => hash);
  const expected = new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)]));
  return { service, clock, connection, sessionId, hashes, expected };
}

async function restoreSession(connection: SignedInConnection, service: StrictService): Promise<string> {
  const request = {
    device_id: service.device.id,
    backup_set: 'documents',
    point_in_time: new Date(Date.now() + 60_000).toISOString(),
    path: '/',
    recursive: true,
  };
  return (await connection.service.restoreManifest(request, () => undefined)).restore_session_id;
}

function asBuffers(arrived: ReadonlyMap<string, Uint8Array | undefined>): ReadonlyMap<string, Buffer | undefined> {
  return new Map([...arrived].map(([hash, bytes]) => [hash, bytes && Buffer.from(bytes)]));
}

test('presigns at most 100 hashes per call', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(250);
  expect(asBuffers(await downloadAll(connection, sessionId, hashes))).toEqual(expected);
  expect(service.callsOf('restore/presign')).toBe(3);
  expect(service.departures).toEqual([]);
});

test('downloads at most eight blobs at once, with back pressure', async () => {
  const { connection, sessionId, hashes } = await stored(60);
  let handling = 0;
  let most = 0;
  await connection.downloader.download(sessionId, hashes, async () => {
    handling += 1;
    most = Math.max(most, handling);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    handling -= 1;
  });
  expect(most).toBeLessThanOrEqual(8);
  expect(connection.downloader.concurrency).toBeGreaterThanOrEqual(4);
});

test('passes `undefined` for a blob that the service or the storage lacks', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(6);
  service.blobs.delete(hashes[2]!);
  service.script({ endpoint: 'storage/get', call: 1, fault: { kind: 'status', status: 404 } });
  const arrived = await downloadAll(connection, sessionId, hashes);
  const missing = [...arrived].filter(([, bytes]) => bytes === undefined).map(([hash]) => hash);
  expect(missing).toHaveLength(2);
  expect(missing).toContain(hashes[2]);
  for (const hash of missing) expected.delete(hash);
  expect(asBuffers(new Map([...arrived].filter(([, bytes]) => bytes)))).toEqual(expected);
});

test('passes on a damaged blob, which the caller may request again', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(1);
  service.script({ endpoint: 'storage/get', call: 1, fault: { kind: 'flip', at: 5 } });
  const [hash] = hashes;
  const damaged = (await downloadAll(connection, sessionId, hashes)).get(hash!)!;
  const difference = [...damaged].filter((byte, index) => byte !== expected.get(hash!)![index]);
  expect(difference).toHaveLength(1);
  expect(asBuffers(await downloadAll(connection, sessionId, hashes))).toEqual(expected);
});

test('downloads a truncated blob again', async () => {
  const { service, clock, connection, sessionId, hashes, expected } = await stored(3);
  service.script({ endpoint: 'storage/get', call: 2, fault: { kind: 'truncate', after: 9 } });
  expect(asBuffers(await downloadAll(connection, sessionId, hashes))).toEqual(expected);
  expect(service.callsOf('storage/get')).toBe(4);
  expect(clock.slept).toHaveLength(1);
});

test.each([
  ['shorter', 1],
  ['longer', 200],
])('a blob that is %s than presigned is downloaded once more, then passed on to be checked', async (_, size) => {
  const { service, connection, sessionId, hashes } = await stored(1);
  const [hash] = hashes;
  const whole = service.blobs.get(hash!)!;
  const downloads = [{ hash, url: `${service.storageUrl}/get/wrong?X-Signature=secret`, size, expires_in: 900 }];
  service.script({ endpoint: 'restore/presign', call: 1, fault: { kind: 'answer', body: { downloads } } });
  service.script({ endpoint: 'storage/get', call: 'every', fault: { kind: 'answer', body: 'x'.repeat(28) } });
  const bytes = (await downloadAll(connection, sessionId, hashes)).get(hash!)!;
  expect(bytes).toHaveLength(Math.min(size + 1, 30));
  expect(Buffer.from(bytes)).not.toEqual(whole);
  expect(service.callsOf('storage/get')).toBe(2);
});

test('replaces expired addresses one by one', async () => {
  const { service, clock, connection, sessionId, hashes, expected } = await stored(5);
  service.script({ endpoint: 'restore/presign', call: 1, fault: { kind: 'expired-address' } });
  expect(asBuffers(await downloadAll(connection, sessionId, hashes))).toEqual(expected);
  expect(service.callsOf('restore/presign')).toBe(6);
  expect(clock.slept).toEqual([]);
  expect(service.departures).toEqual([]);
});

test('does not use an address that expired during other downloads', async () => {
  const { service, clock, connection, sessionId, hashes, expected } = await stored(12);
  await connection.downloader.download(sessionId, hashes, (hash, bytes) => {
    clock.advance(300_000);
    expect(Buffer.from(bytes!)).toEqual(expected.get(hash));
  });
  expect(service.callsOf('restore/presign')).toBeGreaterThan(1);
  expect(service.callsOf('storage/get')).toBe(12);
});

test("fails with the receiver's error", async () => {
  const { connection, sessionId, hashes } = await stored(20);
  const full = new Error('disk full');
  let calls = 0;
  const download = connection.downloader.download(sessionId, hashes, () => {
    calls += 1;
    throw full;
  });
  await expect(download).rejects.toBe(full);
  expect(calls).toBeLessThanOrEqual(8);
});

test.each([
  ['downloads.0.size', { size: 0 }],
  ['downloads.size', { size: 2 ** 40 }],
  ['url', { url: 'ftp://elsewhere.test/' }],
])('a presign response whose %s is %o is reported as broken', async (field, change) => {
  const { service, connection, sessionId, hashes } = await stored(1);
  const good = { hash: hashes[0], url: `${service.storageUrl}/get/x`, size: 29, expires_in: 900 };
  const body = { downloads: [{ ...good, ...change }] };
  service.script({ endpoint: 'restore/presign', call: 'every', fault: { kind: 'answer', body } });
  await expect(downloadAll(connection, sessionId, hashes)).rejects.toMatchObject({
    code: 'service_broken',
    details: { field },
  });
});
