import { expect, test } from 'vitest';
import { type HoldfastError, isHoldfastError } from '../../../../src/base/errors/errors.ts';
import type { EndpointName, Fault } from '../../../helpers/strict-service/faults.ts';
import type { StrictService } from '../../../helpers/strict-service/strict-service.ts';
import type { SignedInConnection } from '../../../../src/remote/connection.ts';
import {
  backUp,
  beginBackup,
  deviceOf,
  inOneBatch,
  restoreAll,
  SAMPLE_STATS,
  sampleFile,
  strictService,
} from '../../../unit/remote/connections.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

async function errorOf(call: Promise<unknown>): Promise<HoldfastError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isHoldfastError(error)) throw new Error(`no HoldfastError but ${String(error)}`);
  return error;
}

const calls: Readonly<Record<string, (connection: SignedInConnection, service: StrictService) => Promise<unknown>>> = {
  'backup/init': (connection, service) => beginBackup(connection, service.device.id, [sampleFile('/a', [1]).file]),
  'backup/complete': ({ service }) => service.backupComplete('session', SAMPLE_STATS),
  'restore/manifest': (connection, service) => restoreAll(connection, service.device.id),
  devices: ({ service }) => service.devices(),
};

type Expected = { readonly code: string; readonly retryable?: boolean; readonly details?: object };
const refusals: readonly (readonly [EndpointName, Fault, Expected])[] = [
  ['devices', { kind: 'status', status: 400 }, { code: 'service_error', retryable: false }],
  ['devices', { kind: 'status', status: 403 }, { code: 'permission_denied' }],
  ['devices', { kind: 'status', status: 404 }, { code: 'service_error', details: { status: 404 } }],
  ['devices', { kind: 'status', status: 409 }, { code: 'service_error', retryable: true }],
  ['devices', { kind: 'status', status: 413 }, { code: 'service_error', retryable: false }],
  ['devices', { kind: 'status', status: 422 }, { code: 'service_error', retryable: false }],
  ['devices', { kind: 'status', status: 429 }, { code: 'service_busy', retryable: true }],
  ['devices', { kind: 'status', status: 500 }, { code: 'service_error', retryable: true, details: { status: 500 } }],
  ['devices', { kind: 'status', status: 501 }, { code: 'service_error', retryable: false }],
  [
    'devices',
    { kind: 'status', status: 503, retryAfter: '9' },
    { code: 'service_busy', details: { retryAfterSeconds: 9 } },
  ],
  ['devices', { kind: 'status', status: 507 }, { code: 'destination_full', retryable: false }],
  ['devices', { kind: 'status', status: 302 }, { code: 'service_broken' }],
  ['devices', { kind: 'token-expired' }, { code: 'device_refused', details: { status: 401 } }],
  ['devices', { kind: 'reset-before' }, { code: 'service_unreachable', retryable: true, details: { reason: 'reset' } }],
  ['devices', { kind: 'html' }, { code: 'service_broken', details: { contentType: 'text/html' } }],
  ['devices', { kind: 'html', status: 404 }, { code: 'service_broken' }],
  [
    'devices',
    { kind: 'answer', body: { devices: { id: 'a' } } },
    { code: 'service_broken', details: { field: 'devices' } },
  ],
  ['devices', { kind: 'answer', body: [] }, { code: 'service_broken' }],
  [
    'devices',
    { kind: 'answer', status: 403, body: { code: 'quota_exceeded', detail: 'no\u001b[31m room' } },
    { code: 'quota_exceeded', details: { detail: 'no [31m room' } },
  ],
  [
    'devices',
    { kind: 'answer', status: 403, body: { code: 'factor_required' } },
    { code: 'permission_denied', details: { problem: 'fresh-code-needed' } },
  ],
  ['backup/init', { kind: 'html' }, { code: 'service_broken' }],
  ['backup/init', { kind: 'answer', body: { session_id: 's' } }, { code: 'service_broken' }],
  [
    'backup/init',
    { kind: 'answer', body: { session_id: 7, chunks_needed: [], chunks_to_upload: 0 } },
    { code: 'service_broken', details: { field: 'session_id' } },
  ],
  [
    'backup/complete',
    { kind: 'answer', status: 409, body: { code: 'chunks_missing', missing_chunks: ['sha256:aa'] } },
    { code: 'chunk_missing', retryable: true, details: { chunks: ['sha256:aa'] } },
  ],
  ['backup/complete', { kind: 'status', status: 409 }, { code: 'chunk_missing', retryable: true }],
  ['restore/manifest', { kind: 'html' }, { code: 'service_broken' }],
  [
    'restore/manifest',
    { kind: 'answer', status: 404, body: { nearest_restore_points: ['2026-01-01T00:00:00Z'] } },
    { code: 'no_restore_point', details: { set: 'documents', nearest: ['2026-01-01T00:00:00Z'] } },
  ],
];

test.each(refusals)('%s fails when every attempt has %o: %o', async (endpoint, fault, { details, ...expected }) => {
  const service = await strictService();
  service.script({ endpoint, call: 'every', fault });

  const error = await errorOf(calls[endpoint]!(deviceOf(service), service));

  expect(error).toMatchObject(expected);
  expect(error.details).toMatchObject({
    ...(endpoint === 'restore/manifest' ? {} : expectedAddress(service, endpoint, error)),
    ...details,
  });
  expect(service.unfired()).toEqual([]);
  expect(service.departures).toEqual([]);
});

/** Errors contain the origin of an unreachable server, and otherwise the address of the call. */
function expectedAddress(service: StrictService, endpoint: EndpointName, error: HoldfastError): object {
  if (error.code === 'service_unreachable') return { address: service.baseUrl };
  return { address: service.baseUrl + (endpoint === 'devices' ? '/rest/v1/devices' : `/functions/v1/${endpoint}`) };
}

const goodTotals = { total_files: 1, total_chunks: 2, unique_chunks: 1, total_bytes: 40 };
test.each([
  [{}, undefined],
  [{ total_files: 2 }, 'total_files'],
  [{ total_chunks: 1 }, 'total_chunks'],
  [{ total_bytes: 41 }, 'total_bytes'],
  [{ unique_chunks: 3 }, 'unique_chunks'],
  [{ unique_chunks: 0 }, 'unique_chunks'],
  [{ unique_chunks: '1' }, 'unique_chunks'],
  [{ total_files: -1 }, 'total_files'],
  [{ total_bytes: '40' }, 'total_bytes'],
  [{ total_chunks: null }, undefined],
  [{ total_files: undefined, total_chunks: undefined, total_bytes: undefined, unique_chunks: undefined }, undefined],
])('a restore manifest whose totals have %o is passed on, with %s named', async (change, field) => {
  const service = await strictService();
  const hash = `sha256:${'0'.repeat(64)}`;
  const file = { path: '/a', size: 40, modified: '2026-01-01T00:00:00Z', chunks: [hash, hash], unknown: true };
  const head = { restore_session_id: 's', point_in_time: '2026-01-01T00:00:00Z', ...goodTotals, ...change };
  service.script({
    endpoint: 'restore/manifest',
    call: 1,
    fault: { kind: 'answer', body: { ...head, files: [file] } },
  });
  const request = {
    device_id: 'device-1',
    backup_set: 'set',
    point_in_time: head.point_in_time,
    path: '/',
    recursive: true,
  };

  let received = 0;
  const { differing } = await deviceOf(service).service.restoreManifest(request, (files) => {
    received += files.length;
  });

  expect(differing).toBe(field);
  expect(received).toBe(1);
});

test.each([
  ['with the valid file only', 1, 1],
  ['with all elements', 3, 1],
  ['with fewer files than arrive', 0, undefined],
  ['with more files than arrive', 4, undefined],
])('a restore manifest with two malformed elements and totals %s passes on the file', async (_, total, passed) => {
  const service = await strictService();
  const file = { path: '/a', size: 0, modified: '2026-01-01T00:00:00Z', chunks: [] };
  const totals = { total_files: total, total_chunks: 7, unique_chunks: 7, total_bytes: 7 };
  const head = { restore_session_id: 's', point_in_time: '2026-01-01T00:00:00Z', ...totals };
  const files = [{ ...file, path: '/b', size: -1 }, file, null];
  service.script({ endpoint: 'restore/manifest', call: 1, fault: { kind: 'answer', body: { ...head, files } } });
  const request = { device_id: 'd', backup_set: 'set', point_in_time: head.point_in_time, path: '/', recursive: true };
  const received: unknown[] = [];
  const refused: unknown[] = [];
  const manifest = deviceOf(service).service.restoreManifest(request, (some, malformed) => {
    received.push(...some);
    refused.push(...malformed.map(({ path }) => path));
  });

  expect((await manifest).differing).toBe(passed === undefined ? 'total_files' : undefined);
  expect(received).toEqual([file]);
  expect(refused).toEqual(['/b', undefined]);
});

test('does not pass on elements of a broken response twice', async () => {
  const service = await strictService();
  const connection = deviceOf(service);
  const files = Array.from({ length: 40 }, (_, index) => sampleFile(`/file-${index}`, [index + 1]));
  const manifest = files.map(({ file }) => file);
  const init = (onNeeded: (hashes: readonly string[]) => void, onRestart?: () => void): Promise<unknown> =>
    connection.service.backupInit(
      { deviceId: service.device.id, backupSet: 'documents', files: () => inOneBatch(manifest) },
      (chunks) => onNeeded(chunks.map(({ hash }) => hash)),
      undefined,
      onRestart,
    );

  // With `onRestart` all elements are delivered again.
  service.script({ endpoint: 'backup/init', call: 1, fault: { kind: 'truncate', after: 2000 } });
  let needed: string[] = [];
  let forgotten = 0;
  await init(
    (hashes) => needed.push(...hashes),
    () => {
      forgotten = needed.length;
      needed = [];
    },
  );
  expect(forgotten).toBeGreaterThan(0);
  expect(needed.toSorted()).toEqual(manifest.map(({ chunks }) => chunks[0]!.hash).toSorted());

  // Without it the call fails.
  service.script({ endpoint: 'backup/init', call: 3, fault: { kind: 'truncate', after: 2000 } });
  const seen: string[] = [];
  const error = await errorOf(init((hashes) => seen.push(...hashes)));
  expect(error).toMatchObject({ code: 'service_unreachable', retryable: true });
  expect(new Set(seen).size).toBe(seen.length);
  expect(service.unfired()).toEqual([]);
});

const MANIFEST = {
  device_id: 'device-1',
  backup_set: 'set',
  point_in_time: '2026-01-01T00:00:00.000Z',
  path: '',
  recursive: true,
};

const CHUNK = `sha256:${'0a'.repeat(32)}`;

/** Answers with one field or element that is missing or wrong, and what is read of them. */
const spoiled: readonly (readonly [
  string,
  EndpointName,
  object,
  (connection: SignedInConnection) => Promise<unknown>,
  unknown,
])[] = [
  [
    'a needed chunk',
    'backup/init',
    {
      session_id: 's',
      chunks_needed: [{ hash: 'sha256:zz' }, null, { hash: CHUNK.toUpperCase().replace('SHA', 'sha') }],
    },
    async ({ service }) => {
      const needed: unknown[] = [];
      const files = () => inOneBatch([]);
      const head = await service.backupInit({ deviceId: 'd', backupSet: 's', files }, (chunks) =>
        needed.push(...chunks),
      );
      return { ...head, needed };
    },
    { session_id: 's', chunks_deduped: 0, chunks_to_upload: 0, malformed: 2, needed: [{ hash: CHUNK, size: 0 }] },
  ],
  [
    'null for no needed chunk',
    'backup/init',
    { session_id: 's', chunks_needed: null, chunks_deduped: null },
    async ({ service }) =>
      service.backupInit({ deviceId: 'd', backupSet: 's', files: () => inOneBatch([]) }, () => undefined),
    { session_id: 's', chunks_deduped: 0, chunks_to_upload: 0, malformed: 0 },
  ],
  [
    'the figures of a run',
    'backup/complete',
    { status: 'COMPLETED', restore_point: '20261128T120000Z', storage_used_bytes: -1, dedup_savings_percent: 'NaN' },
    async ({ service }) => service.backupComplete('session', SAMPLE_STATS),
    { backup_id: 'session', restore_point: '2026-11-28T12:00:00.999Z' },
  ],
  [
    'a device',
    'devices',
    { devices: [{ id: 7 }, { id: 'd', last_backup: 'yesterday' }, 'device'] },
    async ({ service }) => service.devices(),
    [{ id: 'd', name: '', os: '', agent_version: '', status: '' }],
  ],
  [
    'the time of a restore point',
    'restore/manifest',
    { restore_session_id: 's', files: null, point_in_time: 7 },
    async ({ service }) => service.restoreManifest(MANIFEST, () => undefined),
    { restore_session_id: 's', point_in_time: MANIFEST.point_in_time },
  ],
];

test.each(spoiled)('%s that is spoiled takes nothing else with it', async (_, endpoint, body, read, expected) => {
  const service = await strictService();
  const connection = deviceOf(service);
  service.script({ endpoint, call: 1, fault: { kind: 'answer', body } });
  expect(await read(connection)).toEqual(expected);
});

test('asks for the current state again without a time in the future, if the service takes none', async () => {
  const service = await strictService();
  const connection = deviceOf(service, { clock: new InstantClock(() => Date.now()) });
  await backUp(connection, service.device.id, { files: [sampleFile('/a', []).file], blobs: [] });
  service.script({ endpoint: 'restore/manifest', call: 1, fault: { kind: 'status', status: 422 } });
  const point_in_time = new Date(Date.now() + 60_000).toISOString();
  const { point_in_time: found } = await connection.service.restoreManifest(
    { ...MANIFEST, device_id: service.device.id, backup_set: 'documents', point_in_time },
    () => undefined,
  );
  expect(Date.parse(found)).toBeLessThanOrEqual(Date.now());
  expect(service.callsOf('restore/manifest')).toBe(2);
});

test('sends progress once and ignores its failure', async () => {
  const service = await strictService();
  service.script({ endpoint: 'backup/progress', call: 'every', fault: { kind: 'status', status: 500 } });
  const connection = deviceOf(service);
  const report = { session_id: 's', chunks_uploaded: 0, chunks_total: 0, bytes_uploaded: 0 };

  await expect(connection.service.backupProgress(report)).resolves.toBeUndefined();

  expect(service.callsOf('backup/progress')).toBe(1);
});

test('does not use extensions that the service lacks', async () => {
  const service = await strictService();
  const { service: client } = deviceOf(service);

  expect([...(await client.capabilities())]).toEqual([]);
  expect(await client.restorePoints('device-1', 'set')).toBeUndefined();
  expect(await client.backupSets('device-1')).toBeUndefined();
  await client.backupAbort('session');

  expect(service.departures).toEqual([]);
  expect(service.callsOf('capabilities')).toBe(1);
});

test("trusts the service's clock when it differs, and reports the difference", async () => {
  const service = await strictService({ clockOffsetSeconds: 7200 });
  const skews: number[] = [];
  const clock = new InstantClock(() => Date.now());
  const connection = deviceOf(service, { clock, onSkew: (skew) => skews.push(skew) });

  await backUp(connection, service.device.id, { files: [sampleFile('/empty', []).file], blobs: [] });

  expect(connection.service.now() - clock.now()).toBeGreaterThan(7_190_000);
  expect(skews).toHaveLength(1);
  expect(skews[0]).toBeGreaterThan(7_190_000);
  expect(service.departures).toEqual([]);
});

test("rejects with the abort's reason", async () => {
  const service = await strictService();
  const connection = deviceOf(service);
  await connection.service.devices();
  service.script({ endpoint: 'devices', call: 2, fault: { kind: 'slow', milliseconds: 5000 } });
  const abort = new AbortController();
  const reason = new Error('stop');

  const call = connection.service.devices(abort.signal);
  setImmediate(() => abort.abort(reason));

  await expect(call).rejects.toBe(reason);
});
