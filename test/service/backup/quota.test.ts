import { expect, test } from 'vitest';
import { putBlobs } from '../../../src/service/backup/put-blobs.ts';
import { chunk, file, TestService } from '../harness.ts';

const parts = [chunk('one'), chunk('two')];
const files = [file('/a', parts)];
const bytes = parts.reduce((sum, { blob }) => sum + blob.length, 0);

async function limited(limit: number) {
  const service = await TestService.open();
  const device = await service.register();
  const set = (most: number) =>
    service.service.context.metadata.plans.set(service.accountId, { name: 'plan', limit: most }, service.clock.now());
  await set(limit);
  return { service, device, set };
}

test('accepts uploads up to the exact limit, and nothing beyond', async () => {
  const { service, device, set } = await limited(bytes - 1);
  const refused = await service.init(device, 'documents', files);
  expect(refused).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
  expect(refused.body.detail).toContain(String(bytes));
  await set(bytes);
  expect((await service.backUp(device, 'documents', files)).status).toBe(200);
});

test('completes a backup of stored chunks in a full account', async () => {
  const { service, device } = await limited(bytes);
  await service.backUp(device, 'documents', files);
  expect((await service.backUp(device, 'documents', [...files, file('/b', parts)])).status).toBe(200);
  expect((await service.init(device, 'documents', [file('/c', ['new'])])).status).toBe(413);
});

test('applies to a session before its manifest, with and without presign', async () => {
  const { service, device } = await limited(bytes - 1);
  const opened = await service.openSession(device, 'documents');
  const [first] = parts;
  const ask = (chunks: typeof parts) =>
    service.post('/functions/v1/backup/presign', device.token, {
      session_id: opened.body.session_id,
      chunks: chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
    });
  expect((await ask([first!])).status).toBe(200);
  expect(await ask(parts)).toMatchObject({ status: 413, body: { code: 'quota_exceeded' } });
  const session = await service.service.context.metadata.sessions.find(opened.body.session_id);
  const blobs = parts.map(({ hash, size, blob }) => ({ hash, bytes: blob, size }));
  await expect(putBlobs(service.service.context, session!, blobs)).rejects.toMatchObject({ code: 'quota_exceeded' });
});

test('counts what may still be uploaded to presigned addresses, until they expire or the blob is stored', async () => {
  const { service, device, set } = await limited(bytes);
  const other = chunk('six');
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const ask = async (...chunks: (typeof other)[]) => {
    const body = {
      session_id: session,
      chunks: chunks.map(({ hash, blob }) => ({ chunk_hash: hash, chunk_size: blob.length })),
    };
    return (await service.post('/functions/v1/backup/presign', device.token, body)).status;
  };
  expect(await ask(...parts)).toBe(200);
  expect(await ask(other)).toBe(413);
  expect(await ask(...parts, other)).toBe(413);
  expect(await ask(other)).toBe(413);
  expect(await ask(...parts, ...parts)).toBe(200);
  expect((await service.put(device, session, parts[0]!.hash, parts[0]!.blob)).status).toBe(200);
  expect(await ask(other)).toBe(413);
  service.clock.advance(900_000);
  expect(await ask(other)).toBe(200);
  expect(await ask(parts[1]!)).toBe(413);
  await set(bytes + other.blob.length);
  expect(await ask(parts[1]!)).toBe(200);
  expect((await service.put(device, session, other.hash, other.blob)).status).toBe(200);
  expect((await service.put(device, session, parts[1]!.hash, parts[1]!.blob)).status).toBe(200);
});

test('counts presigned addresses of concurrent requests', async () => {
  const { service, device } = await limited(bytes);
  const session = (await service.openSession(device, 'documents')).body.session_id as string;
  const statuses = await Promise.all(
    ['one', 'two', 'six', 'ten'].map(async (content) => {
      const { hash, blob } = chunk(content);
      const body = { session_id: session, chunk_hash: hash, chunk_size: blob.length };
      return (await service.post('/functions/v1/backup/presign', device.token, body)).status;
    }),
  );
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
});
