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
