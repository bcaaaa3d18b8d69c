import { expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import type { StrictService, StrictServiceOptions } from '../../../helpers/strict-service/strict-service.ts';
import { FakeService } from '../fake-service.ts';
import { beginBackup, deviceOf, sampleFile, strictService } from '../../../unit/remote/connections.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

const sample = sampleFile('/a', [10, 20, 30, 40, 50, 60]);

async function begun(options?: StrictServiceOptions) {
  const service = await strictService(options);
  const clock = new InstantClock();
  const connection = deviceOf(service, { clock });
  const { sessionId } = await beginBackup(connection, service.device.id, [sample.file]);
  const upload = (signal?: AbortSignal) => connection.uploader.upload(sessionId, sample.blobs, signal);
  return { service, clock, upload };
}

function expectAllStored(service: StrictService): void {
  expect([...service.blobs.keys()].toSorted()).toEqual(sample.blobs.map(({ hash }) => hash).toSorted());
  expect(service.departures).toEqual([]);
}

test('replaces an expired address without a pause', async () => {
  const { service, clock, upload } = await begun();
  service.script({ endpoint: 'backup/presign', call: 2, fault: { kind: 'expired-address' } });
  await upload();
  expectAllStored(service);
  expect(clock.slept).toEqual([]);
  expect(service.callsOf('backup/presign')).toBe(7);
});

test('fails when the storage keeps rejecting addresses', async () => {
  const { service, clock, upload } = await begun();
  service.script({ endpoint: 'storage/put', call: 'every', fault: { kind: 'status', status: 403 } });
  await expect(upload()).rejects.toMatchObject({
    code: 'service_error',
    retryable: true,
    details: { address: service.storageUrl, status: 403 },
  });
  expect(clock.slept.length).toBeGreaterThan(5);
  // Each PUT had a separate address. Those aborted by another's failure had none yet.
  expect(service.callsOf('backup/presign')).toBeGreaterThanOrEqual(service.callsOf('storage/put'));
});

test('presigns again after a failed PUT and waits for Retry-After', async () => {
  const { service, clock, upload } = await begun();
  service.script({ endpoint: 'storage/put', call: 3, fault: { kind: 'status', status: 503, retryAfter: '20' } });
  await upload();
  expectAllStored(service);
  expect(clock.slept).toEqual([20_250]);
  expect(service.callsOf('backup/presign')).toBe(7);
});

test('fails at once when the storage is full', async () => {
  const { service, clock, upload } = await begun();
  service.script({ endpoint: 'storage/put', call: 1, fault: { kind: 'status', status: 507 } });
  await expect(upload()).rejects.toMatchObject({ code: 'destination_full' });
  expect(clock.slept).toEqual([]);
});

test('never includes a presigned address in an error', async () => {
  const { service, upload } = await begun();
  service.script({ endpoint: 'storage/put', call: 'every', fault: { kind: 'reset-before' } });
  const error: unknown = await upload().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'service_unreachable' });
  const { message, stack, details, cause } = error as HoldfastError;
  expect(JSON.stringify([message, stack, details, String(cause)])).not.toContain('Signature');
});

test.each([
  ['upload_url', { upload_url: 'file:///etc/passwd' }],
  ['upload_url', { upload_url: 'no address' }],
  ['method', { method: 'DELETE' }],
  ['headers.Content-Length', { headers: { 'Content-Length': '7' } }],
  ['headers.Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
  ['headers.Content-Type', { headers: { 'Content-Type': 'a\r\nb: c' } }],
  ['headers.Authorization', { headers: { Authorization: 'a' } }],
  ['headers.Cookie', { headers: { Cookie: 'a' } }],
  ['headers.Host', { headers: { Host: 'a' } }],
  ['headers.Metadata-Flavor', { headers: { 'Metadata-Flavor': 'a' } }],
  ['headers.X-Forwarded-For', { headers: { 'X-Forwarded-For': 'a' } }],
  ['headers.X-HTTP-Method-Override', { headers: { 'X-HTTP-Method-Override': 'a' } }],
  ['headers.a b', { headers: { 'a b': 'c' } }],
])('a presign response whose %s is %o is reported as broken', async (field, change) => {
  const { service, upload } = await begun();
  const good = { upload_url: `${service.storageUrl}/x`, expires_in: 900, method: 'PUT', headers: {} };
  service.script({
    endpoint: 'backup/presign',
    call: 'every',
    fault: { kind: 'answer', body: { ...good, ...change } },
  });
  await expect(upload()).rejects.toMatchObject({ code: 'service_broken', details: { field } });
  expect(service.callsOf('storage/put')).toBe(0);
});

test('sends the headers that object storages ask for', async () => {
  const { service, upload } = await begun();
  const headers = {
    'content-type': 'application/octet-stream',
    'Content-MD5': 'mQDBqmEBxBdYkxFcOaq9mg==',
    'If-None-Match': '*',
    'x-amz-meta-a': 'b',
    'x-goog-if-generation-match': '0',
    'x-ms-blob-type': 'BlockBlob',
  };
  const body = { upload_url: `${service.storageUrl}/x`, expires_in: 900, method: 'PUT', headers };
  service.script({ endpoint: 'backup/presign', call: 1, fault: { kind: 'answer', body } });
  await upload();
  expect(service.callsOf('storage/put')).toBeGreaterThan(0);
});

test('stops all transfers when the upload is aborted', async () => {
  const { service, upload } = await begun();
  service.script({ endpoint: 'storage/put', call: 'every', fault: { kind: 'slow', milliseconds: 5000 } });
  const abort = new AbortController();
  const reason = new HoldfastError('interrupted');
  const running = upload(abort.signal);
  setImmediate(() => abort.abort(reason));
  await expect(running).rejects.toBe(reason);
});

test('presigns all blobs in one call when the service supports batches', async () => {
  const fake = new FakeService({ capabilities: ['backup.presign.batch'] });
  await fake.connection().uploader.upload('session', sample.blobs);
  expect(fake.requestsTo('/functions/v1/backup/presign')).toHaveLength(1);
  expect(fake.stored).toEqual(new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])));
  expect(fake.tokensAtStorage).toBe(0);
});

test('does not use an address that is about to expire', async () => {
  const fake = new FakeService({ capabilities: ['backup.presign.batch'] });
  // The first PUT takes so long that the addresses of the rest of the batch are about to expire.
  fake.onPut = () => {
    if (fake.stored.size === 0) fake.clock.advance(850_000);
  };
  await fake.connection().uploader.upload('session', sample.blobs);
  const [batch, ...singles] = fake.requestsTo('/functions/v1/backup/presign');
  expect((batch as { chunks: unknown[] }).chunks).toHaveLength(6);
  expect(singles.length).toBeGreaterThanOrEqual(2);
  expect(fake.stored.size).toBe(6);
});

test('presigns a blob that the batch lacks, and skips one that is stored', async () => {
  const fake = new FakeService({ capabilities: ['backup.presign.batch'] });
  fake.lacking.add(sample.blobs[1]!.hash);
  fake.existing.add(sample.blobs[2]!.hash);
  fake.refusedAsStored.add(sample.blobs[1]!.hash);
  await fake.connection().uploader.upload('session', sample.blobs);
  expect(fake.requestsTo('/functions/v1/backup/presign')).toHaveLength(2);
  expect([...fake.stored.keys()]).toEqual(
    sample.blobs.map(({ hash }) => hash).filter((_, index) => index !== 1 && index !== 2),
  );
});
