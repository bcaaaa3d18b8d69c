import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { connect } from '../../../../src/remote/connection.ts';
import { fetchServiceFeatures, NO_FEATURES } from '../../../../src/remote/client/capabilities.ts';
import { compressed } from '../../../../src/remote/http/compressed-body.ts';
import { registerDevice } from '../../../../src/remote/sign-in/register-device.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import { UndiciHttp } from '../../../../src/remote/http/undici-http.ts';
import { connectTo, strictService } from '../../../unit/remote/connections.ts';
import { FakeService } from '../fake-service.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < 50; index += 1) yield await Promise.resolve(Buffer.from(`piece ${index} `.repeat(1000)));
}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

test.each([
  [['gzip'], 'gzip', gunzipSync],
  [['zstd', 'gzip'], 'zstd', zstdDecompressSync],
  [['br', 'identity'], undefined, (bytes: Buffer) => bytes],
] as const)('a body for a service that takes %o is sent as %s', async (encodings, expected, open) => {
  const encoded = compressed(pieces, new Set(encodings));
  const plain = await collect(pieces());
  expect(encoded.headers?.['content-encoding']).toBe(expected);
  expect(open(await collect(encoded.body())).equals(plain)).toBe(true);
  // Each attempt makes its own body.
  expect(open(await collect(encoded.body())).equals(plain)).toBe(true);
});

test('rejects with the error of a compressed body', async () => {
  const mistake = new Error('catalog');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(100_000));
    throw mistake;
  }
  await expect(collect(compressed(failing, new Set(['gzip'])).body())).rejects.toBe(mistake);
});

test('uses restore points, sets and abort when the service offers them', async () => {
  const point = { restore_point: '2026-01-01T00:00:00.000Z', backup_id: 'b', files: 1, bytes: 2 };
  const fake = new FakeService({
    capabilities: ['restore_points', 'backup_sets', 'backup.abort', 'from.the.future'],
    routes: {
      '/rest/v1/restore_points': (_, request) => {
        const query = new URL(request.url).searchParams;
        expect([query.get('device_id'), query.get('backup_set')]).toEqual(['a&b', 'ü c']);
        return Response.json({ restore_points: [point] });
      },
      '/rest/v1/backup_sets': () => Response.json({ backup_sets: [{ name: 'documents', last_restore_point: null }] }),
      '/functions/v1/backup/abort': () => new Response(null, { status: 500 }),
    },
  });
  const { service } = fake.connection();

  expect([...(await service.capabilities())].toSorted()).toEqual(['backup.abort', 'backup_sets', 'restore_points']);
  expect(await service.restorePoints('a&b', 'ü c')).toEqual([point]);
  expect(await service.backupSets('d')).toEqual([{ name: 'documents', last_restore_point: null }]);
  await service.backupAbort('session');
  expect(fake.requestsTo('/functions/v1/backup/abort')).toEqual([{ session_id: 'session' }]);
});

test('registers a device', async () => {
  const fake = new FakeService({
    capabilities: ['devices.register'],
    routes: {
      '/functions/v1/devices': (body) =>
        Response.json({ device: { id: 'new', ...body, permissions: ['backup'] }, device_key: 'secret' }),
    },
  });
  const device = { name: 'laptop', os: 'linux', agent_version: '1' };
  expect(await registerDevice(fake.connection().calls, device)).toEqual({ deviceId: 'new', deviceKey: 'secret' });
  expect(fake.requestsTo('/functions/v1/devices')).toEqual([device]);
});

test('reads capabilities before sign-in', async () => {
  const service = await strictService();
  const { calls } = connectTo(`${service.baseUrl}/`);
  expect(await fetchServiceFeatures(calls)).toEqual(NO_FEATURES);
  expect(service.departures).toEqual([]);
});

test('reports an unreachable address soon with the interactive policy', async () => {
  const service = await strictService();
  await service.close();
  const clock = new InstantClock();
  const { calls } = connectTo(service.baseUrl, { clock, policy: INTERACTIVE_RETRY_POLICY });
  await expect(fetchServiceFeatures(calls)).rejects.toMatchObject({
    code: 'service_unreachable',
    details: { address: service.baseUrl, reason: 'refused' },
  });
  expect(clock.slept.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(INTERACTIVE_RETRY_POLICY.maxWaitMs);
});

test.each([
  '',
  'service.test',
  'ftp://service.test',
  'https://service.test/?a=b',
  'https://me:secret@service.test',
  '/path',
])('the address %o is no base address', async (baseUrl) => {
  const http = new UndiciHttp();
  expect(() => connect({ baseUrl, http, clock: new InstantClock(), policy: INTERACTIVE_RETRY_POLICY })).toThrow(
    'usage',
  );
  await http.close();
});
