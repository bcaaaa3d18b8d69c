import { expect, test } from 'vitest';
import type { EndpointName, Fault } from '../../helpers/strict-service/faults.ts';
import { backUp, deviceOf, restoreAll, sampleFile, strictService, userOf } from '../../unit/remote/connections.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';

const small = sampleFile('/home/anna/small.txt', [1, 20, 300]);
const large = sampleFile('/home/anna/large.bin', [700_000, 1_000_000]);
const empty = sampleFile('/home/anna/empty', []);
const sample = {
  files: [empty.file, large.file, small.file],
  blobs: [...large.blobs, ...small.blobs],
};
const expected = new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)]));

function contents(arrived: ReadonlyMap<string, Uint8Array | undefined>): Map<string, Buffer | undefined> {
  return new Map([...arrived].map(([hash, bytes]) => [hash, bytes && Buffer.from(bytes)]));
}

test('a device backs up and restores without violations', async () => {
  const service = await strictService();
  const connection = deviceOf(service);

  await backUp(connection, service.device.id, sample);
  const restored = await restoreAll(connection, service.device.id);

  expect(contents(restored)).toEqual(expected);
  expect(new Map(service.blobs)).toEqual(expected);
  expect(service.departures).toEqual([]);
  expect(service.callsOf('auth/device')).toBe(1);
  expect(service.callsOf('capabilities')).toBe(1);
});

test('a signed-in person backs up and restores without violations', async () => {
  const service = await strictService();
  const { connection } = await userOf(service);

  await backUp(connection, service.device.id, sample);
  const restored = await restoreAll(connection, service.device.id);

  expect(contents(restored)).toEqual(expected);
  expect(service.departures).toEqual([]);
  expect((await connection.service.devices()).map(({ id }) => id)).toEqual([service.device.id]);
});

test('a second backup uploads no stored chunks', async () => {
  const service = await strictService();
  const connection = deviceOf(service);
  await backUp(connection, service.device.id, sample);
  const puts = service.callsOf('storage/put');

  const added = sampleFile('/home/anna/added', [50]);
  await backUp(connection, service.device.id, {
    files: [added.file, ...sample.files],
    blobs: [...added.blobs, ...sample.blobs],
  });

  expect(service.callsOf('storage/put')).toBe(puts + 1);
  expect(service.departures).toEqual([]);
});

const anyStatus = (status: number, retryAfter?: string): Fault => ({
  kind: 'status',
  status,
  ...(retryAfter !== undefined && { retryAfter }),
});

/** Each fault affects the call of that number. The run must succeed nevertheless. */
const overcome: readonly (readonly [EndpointName, number, Fault])[] = [
  ['auth/device', 1, anyStatus(503)],
  ['auth/device', 1, { kind: 'reset-before' }],
  ['auth/device', 1, { kind: 'reset-after' }],
  ['backup/init', 1, anyStatus(500)],
  ['backup/init', 1, anyStatus(429, '7')],
  ['backup/init', 1, { kind: 'token-expired' }],
  ['backup/init', 1, { kind: 'reset-before' }],
  ['backup/init', 1, { kind: 'reset-after' }],
  ['backup/init', 1, { kind: 'truncate', after: 120 }],
  ['backup/presign', 2, anyStatus(502)],
  ['backup/presign', 1, { kind: 'token-expired' }],
  ['backup/presign', 3, { kind: 'reset-after' }],
  ['backup/presign', 2, { kind: 'expired-address' }],
  ['storage/put', 1, anyStatus(403)],
  ['storage/put', 2, anyStatus(400)],
  ['storage/put', 2, anyStatus(503, '3')],
  ['storage/put', 3, anyStatus(500)],
  ['storage/put', 1, { kind: 'reset-before' }],
  ['storage/put', 4, { kind: 'reset-after' }],
  ['storage/put', 5, anyStatus(412)],
  ['backup/complete', 1, anyStatus(504)],
  ['backup/complete', 1, { kind: 'token-expired' }],
  ['backup/complete', 1, { kind: 'reset-after' }],
  ['restore/manifest', 1, anyStatus(500)],
  ['restore/manifest', 1, { kind: 'token-expired' }],
  ['restore/manifest', 1, { kind: 'truncate', after: 400 }],
  ['restore/presign', 1, anyStatus(429, '2')],
  ['restore/presign', 1, { kind: 'token-expired' }],
  ['restore/presign', 1, { kind: 'expired-address' }],
  ['storage/get', 1, anyStatus(403)],
  ['storage/get', 2, anyStatus(500)],
  ['storage/get', 1, { kind: 'reset-before' }],
  ['storage/get', 2, { kind: 'truncate', after: 10 }],
  ['storage/get', 3, { kind: 'truncate', after: 0 }],
  ['storage/get', 2, { kind: 'slow', milliseconds: 20 }],
  ['capabilities', 1, { kind: 'html' }],
  ['capabilities', 1, { kind: 'html', status: 404 }],
  ['capabilities', 1, anyStatus(503)],
];

test.each(overcome)('%s: the run survives %o of call %i', async (endpoint, call, fault) => {
  // A 412 means that the blob is stored, so one run stores it first.
  const stored = fault.kind === 'status' && fault.status === 412;
  const service = await strictService();
  service.script({ endpoint, call, fault });
  const clock = new InstantClock();
  const connection = deviceOf(service, { clock });

  if (stored) {
    await expect(backUp(connection, service.device.id, sample)).rejects.toMatchObject({ code: 'chunk_missing' });
  } else {
    await backUp(connection, service.device.id, sample);
    expect(contents(await restoreAll(connection, service.device.id))).toEqual(expected);
    expect(service.departures).toEqual([]);
  }
  expect(service.unfired()).toEqual([]);
});

test('tokens that keep expiring during a run are refreshed once each', async () => {
  const service = await strictService();
  const { connection, store } = await userOf(service);
  const places = ['backup/init', 'backup/complete', 'restore/manifest', 'restore/presign'] as const;
  service.script(...places.map((endpoint) => ({ endpoint, call: 1, fault: { kind: 'token-expired' as const } })));
  service.script({ endpoint: 'backup/presign', call: 3, fault: { kind: 'token-expired' } });

  await backUp(connection, service.device.id, sample);
  expect(contents(await restoreAll(connection, service.device.id))).toEqual(expected);

  expect(service.unfired()).toEqual([]);
  expect(service.departures).toEqual([]);
  expect(service.callsOf('auth/refresh')).toBe(places.length + 1);
  expect(new Set(store.persisted.map(({ refreshToken }) => refreshToken)).size).toBe(places.length + 1);
});
