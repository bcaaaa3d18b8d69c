import { expect, test } from 'vitest';
import type { SignedInConnection } from '../../../../src/remote/connection.ts';
import type { Answer, Call } from '../../../helpers/strict-service/call.ts';
import type { ServiceState } from '../../../helpers/strict-service/service-state.ts';
import type { StrictService } from '../../../helpers/strict-service/strict-service.ts';
import { DeviceSignIn } from '../../../../src/remote/sign-in/device-token-source.ts';
import {
  backUp,
  connectTo,
  deviceOf,
  downloadAll,
  sampleFile,
  strictService,
} from '../../../unit/remote/connections.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

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
  ['shorter', 1, 28],
  ['longer', 200, 30],
])('a blob that is %s than presigned is downloaded once more, then passed on to be checked', async (_, size, read) => {
  const { service, connection, sessionId, hashes } = await stored(1);
  const [hash] = hashes;
  const whole = service.blobs.get(hash!)!;
  const downloads = [{ hash, url: `${service.storageUrl}/get/wrong?X-Signature=secret`, size, expires_in: 900 }];
  service.script({ endpoint: 'restore/presign', call: 1, fault: { kind: 'answer', body: { downloads } } });
  service.script({ endpoint: 'storage/get', call: 'every', fault: { kind: 'answer', body: 'x'.repeat(28) } });
  const bytes = (await downloadAll(connection, sessionId, hashes)).get(hash!)!;
  expect(bytes).toHaveLength(Math.min(size + 28 + 1, 30));
  expect(bytes.length).toBeGreaterThanOrEqual(read);
  expect(Buffer.from(bytes)).not.toEqual(whole);
  expect(service.callsOf('storage/get')).toBe(2);
});

/** A presign answer of the service with its elements changed. */
async function answered(
  { service, connection, sessionId, hashes }: Awaited<ReturnType<typeof stored>>,
  change: (download: Record<string, unknown>, index: number) => unknown,
) {
  const token = await deviceToken(service);
  const answer = await fetch(`${service.baseUrl}/functions/v1/restore/presign`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ restore_session_id: sessionId, chunk_hashes: hashes }),
  });
  const { downloads } = (await answer.json()) as { downloads: Record<string, unknown>[] };
  const body = { downloads: downloads.map(change) };
  service.script({ endpoint: 'restore/presign', call: 2, fault: { kind: 'answer', body } });
  return await downloadAll(connection, sessionId, hashes);
}

function firstOf(answer: Answer, most: number): Answer {
  const { downloads } = answer.body as { downloads: unknown[] };
  return { ...answer, body: { downloads: downloads.slice(0, most) } };
}

async function deviceToken(service: StrictService): Promise<string> {
  const { calls } = connectTo(service.baseUrl);
  const device = new DeviceSignIn(calls, { deviceId: service.device.id, deviceKey: service.device.key });
  return (await device.session()).access_token;
}

test.each([
  ['no size', { size: undefined }],
  ['a size of 0', { size: 0 }],
  ['a size that is a text', { size: '31' }],
  ['a size that no blob has', { size: 2 ** 50 }],
  ['a lifetime of 0', { expires_in: 0 }],
  ['no lifetime', { expires_in: null }],
  ['fields that nobody knows', { etag: '"x"', headers: {} }],
])('downloads each blob at once when one is presigned with %s', async (_, change) => {
  const world = await stored(5);
  const arrived = await answered(world, (download, index) => (index === 1 ? { ...download, ...change } : download));
  expect(asBuffers(arrived)).toEqual(world.expected);
  expect(world.service.callsOf('storage/get')).toBe(5);
});

test('takes the size for that of the chunk, too', async () => {
  const world = await stored(5);
  const arrived = await answered(world, (download) => ({ ...download, size: (download['size'] as number) - 28 }));
  expect(asBuffers(arrived)).toEqual(world.expected);
  expect(world.service.callsOf('storage/get')).toBe(5);
});

test.each([
  ['an element is none', null],
  ['an address is none', { url: 'elsewhere' }],
  ['an address is of another kind', { url: 'ftp://elsewhere.test/' }],
  ['a hash is none', { hash: 'sha256:1' }],
])('asks for the rest when %s', async (_, change) => {
  const world = await stored(5);
  const arrived = await answered(world, (download, index) =>
    index === 1 ? change && { ...download, ...change } : download,
  );
  expect(asBuffers(arrived)).toEqual(world.expected);
  expect(world.service.callsOf('restore/presign')).toBe(3);
});

test('asks for the rest of an answer until nothing comes', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(100);
  const lost = hashes[7]!;
  service.blobs.delete(lost);
  service.behave({ after: (call, answer) => (call.endpoint === 'restore/presign' ? firstOf(answer, 30) : undefined) });
  const arrived = await downloadAll(connection, sessionId, hashes);
  expect(arrived.get(lost)).toBeUndefined();
  expected.delete(lost);
  expect(asBuffers(new Map([...arrived].filter(([, bytes]) => bytes)))).toEqual(expected);
  // 30, 30, 30, 9 or 10, and once more for the lost one.
  expect(service.callsOf('restore/presign')).toBeLessThanOrEqual(6);
});

test('halves a batch that the service refuses for one chunk', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(32);
  service.behave({
    before: ({ endpoint, bytes }) =>
      endpoint === 'restore/presign' && bytes.includes(hashes[9]!) ? { status: 422, body: {} } : undefined,
  });
  const arrived = await downloadAll(connection, sessionId, hashes);
  expect(arrived.get(hashes[9]!)).toBeUndefined();
  expected.delete(hashes[9]!);
  expect(asBuffers(new Map([...arrived].filter(([, bytes]) => bytes)))).toEqual(expected);
  expect(service.callsOf('restore/presign')).toBeLessThanOrEqual(2 + 2 * 5);
});

test('opens another session when the service no longer knows the one that it gave, however often', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(250);
  for (const round of [1, 2]) {
    service.forgetRestores();
    expect(asBuffers(await downloadAll(connection, sessionId, hashes))).toEqual(expected);
    expect(service.callsOf('restore/manifest')).toBe(1 + round);
  }
});

test('takes the service at its word when it knows no new session either', async () => {
  const { service, connection, sessionId, hashes } = await stored(2);
  service.script({ endpoint: 'restore/presign', call: 'every', fault: { kind: 'status', status: 404 } });
  const arrived = await downloadAll(connection, sessionId, hashes);
  expect([...arrived.values()]).toEqual([undefined, undefined]);
  expect(service.callsOf('restore/manifest')).toBe(2);
});

test('a session that the service knows no more, and no new one either, is no lost chunk', async () => {
  const { service, connection, sessionId, hashes, expected } = await stored(4);
  expect(asBuffers(await downloadAll(connection, sessionId, hashes.slice(0, 2)))).toEqual(
    new Map([...expected].slice(0, 2)),
  );
  service.script({ endpoint: 'restore/presign', call: 'every', fault: { kind: 'status', status: 404 } });
  await expect(downloadAll(connection, sessionId, hashes.slice(2))).rejects.toMatchObject({
    code: 'service_error',
    details: { status: 404 },
  });
});

test('a service that names the session in its refusal has lost no chunk', async () => {
  const { service, connection, sessionId, hashes } = await stored(2);
  service.behave({
    before: ({ endpoint }) =>
      endpoint === 'restore/presign' ? { status: 404, body: { code: 'session_unknown' } } : undefined,
  });
  await expect(downloadAll(connection, sessionId, hashes)).rejects.toMatchObject({ code: 'service_error' });
});

test('a web page in the place of a presign answer is an error, and no lost chunk', async () => {
  const { service, connection, sessionId, hashes } = await stored(2);
  service.script({ endpoint: 'restore/presign', call: 'every', fault: { kind: 'html', status: 404 } });
  await expect(downloadAll(connection, sessionId, hashes)).rejects.toMatchObject({ code: 'service_broken' });
});

test.each([
  ['is refused', 403],
  ['is answered with an error', 500],
  ['is another thing', 302],
])('names one blob that always %s, and delivers the others', async (_, status) => {
  const { service, connection, sessionId, hashes, expected } = await stored(6);
  const isBroken = ({ parameter = '' }: Call, state: ServiceState): boolean =>
    state.downloadAddresses.get(parameter)?.hash === hashes[3];
  service.behave({ before: (call, state) => (isBroken(call, state) ? { status } : undefined) });
  expect((await downloadAll(connection, sessionId, [hashes[0]!])).size).toBe(1);
  const arrived = await downloadAll(connection, sessionId, hashes);
  expect(arrived.get(hashes[3]!)).toBeUndefined();
  expected.delete(hashes[3]!);
  expect(asBuffers(new Map([...arrived].filter(([, bytes]) => bytes)))).toEqual(expected);
});

test('fails when the storage delivers nothing, or ceases to', async () => {
  const { service, connection, sessionId, hashes } = await stored(60);
  const everyGet = { endpoint: 'storage/get', call: 'every', fault: { kind: 'status', status: 403 } } as const;
  service.script(everyGet);
  const failed = { code: 'service_error', details: { status: 403 } };
  await expect(downloadAll(connection, sessionId, hashes)).rejects.toMatchObject(failed);
  service.clearScript();
  await downloadAll(connection, sessionId, hashes);
  service.script(everyGet);
  await expect(downloadAll(connection, sessionId, hashes)).rejects.toMatchObject(failed);
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
