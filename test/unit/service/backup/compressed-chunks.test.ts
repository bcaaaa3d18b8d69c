import { describe, expect, test } from 'vitest';
import { putBlobs } from '../../../../src/service/backup/put-blobs.ts';
import { performRetention } from '../../../../src/service/retention/retention.ts';
import { compressedChunk, file, TestService } from '../harness.ts';
import type { TestChunk, TestDevice } from '../harness.ts';

const PRESIGN = '/functions/v1/backup/presign';

// Blobs of 31, 128, and 150,028 bytes: in packs and as files.
const CHUNKS = [compressedChunk('one', 300), compressedChunk(100, 4_096), compressedChunk(150_000, 400_000)];
const BLOB_BYTES = 31 + 128 + 150_028;

async function begin(): Promise<{ service: TestService; device: TestDevice }> {
  const service = await TestService.open();
  return { service, device: await service.register() };
}

async function openSession({ service, device }: { service: TestService; device: TestDevice }): Promise<string> {
  return (await service.openSession(device, 'docs')).body.session_id as string;
}

const described = ({ hash, size, blob }: TestChunk) => ({
  chunk_hash: hash,
  chunk_size: blob.length,
  plaintext_size: size,
});

describe('blobs that are smaller than their chunks', () => {
  test('count and are served with their own sizes', async () => {
    const { service, device } = await begin();
    const run = await service.backUp(device, 'docs', [file('/a', CHUNKS)]);
    expect(run).toMatchObject({ status: 200, body: { storage_used_bytes: BLOB_BYTES } });
    const manifest = await service.manifest(device, 'docs');
    expect(manifest.body).toMatchObject({ total_bytes: 404_396 });
    const answer = await service.post('/functions/v1/restore/presign', device.token, {
      restore_session_id: manifest.body.restore_session_id,
      chunk_hashes: CHUNKS.map(({ hash }) => hash),
    });
    const downloads = answer.body.downloads as { url: string; size: number }[];
    expect(downloads.map(({ size }) => size)).toEqual(CHUNKS.map(({ blob }) => blob.length));
    for (const [index, { url }] of downloads.entries()) {
      const got = await service.call('GET', url);
      expect(got.status).toBe(200);
      expect(Buffer.from(got.body as Uint8Array).equals(CHUNKS[index]!.blob)).toBe(true);
    }
  });

  test('are accepted from 29 bytes up to the chunk and 28', async () => {
    const { service, device } = await begin();
    const [one] = CHUNKS;
    const init = await service.init(device, 'docs', [file('/a', [one!])]);
    const statusOf = async (bytes: number) =>
      (await service.put(device, init.body.session_id as string, one!.hash, new Uint8Array(bytes))).status;
    expect([await statusOf(28), await statusOf(329), await statusOf(29)]).toEqual([422, 422, 200]);
    expect((await service.complete(device, init.body.session_id as string)).body.storage_used_bytes).toBe(29);
  });

  test('count with the size that arrived, if several sizes were signed', async () => {
    const { service, device } = await begin();
    const [one] = CHUNKS;
    const init = await service.init(device, 'docs', [file('/a', [one!])]);
    const session = init.body.session_id as string;
    const address = async (size: number) =>
      (await service.post(PRESIGN, device.token, { session_id: session, chunk_hash: one!.hash, chunk_size: size }))
        .body as { upload_url: string; headers: object };
    const [small, large] = [await address(40), await address(50)];
    const put = async ({ upload_url: url, headers }: typeof small, bytes: number) =>
      (await service.call('PUT', url, undefined, new Uint8Array(bytes), headers)).status;
    expect(await put(small, 50)).toBe(403);
    expect(await put(large, 50)).toBe(200);
    expect(await put(small, 40)).toBe(412);
    expect((await service.complete(device, session)).body.storage_used_bytes).toBe(50);
  });

  test.each(['presign', 'batch', 'embedded'])('are accepted before the manifest (%s)', async (way) => {
    const fixture = await begin();
    const { service, device } = fixture;
    const session = await openSession(fixture);
    if (way === 'embedded') {
      const { context } = service.service;
      const blobs = CHUNKS.map(({ hash, size, blob }) => ({ hash, bytes: blob, size }));
      const stored = await putBlobs(context, (await context.metadata.sessions.find(session))!, blobs);
      expect(stored).toEqual({ blobs: 3, bytes: BLOB_BYTES, plaintextBytes: 404_396 });
    } else {
      const batch = await service.post(PRESIGN, device.token, { session_id: session, chunks: CHUNKS.map(described) });
      for (const [index, one] of CHUNKS.entries()) {
        const single = await service.post(PRESIGN, device.token, { session_id: session, ...described(one) });
        const { upload_url: url, headers } = way === 'batch' ? batch.body.uploads[index] : single.body;
        expect((await service.call('PUT', url as string, undefined, one.blob, headers as object)).status).toBe(200);
      }
    }
    const init = await service.init(device, 'docs', [file('/a', CHUNKS)], { session_id: session });
    expect(init.body).toMatchObject({ chunks_to_upload: 0 });
    expect(await service.complete(device, session)).toMatchObject({
      status: 200,
      body: { storage_used_bytes: BLOB_BYTES, dedup_savings_percent: 0 },
    });
  });

  test('conflict with a manifest that gives their chunk another size', async () => {
    const fixture = await begin();
    const { service, device } = fixture;
    const [one] = CHUNKS;
    const session = await openSession(fixture);
    // Without `plaintext_size`, the chunk has 3 bytes.
    expect((await service.put(device, session, one!.hash, one!.blob)).status).toBe(200);
    const init = await service.init(device, 'docs', [file('/a', [one!])], { session_id: session });
    expect(init).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
  });

  test('fill an account with what they occupy', async () => {
    const fixture = await begin();
    const { service, device } = fixture;
    await service.service.context.metadata.plans.set(
      service.accountId,
      { name: 'small', limit: BLOB_BYTES },
      service.clock.now(),
    );
    const session = await openSession(fixture);
    const body = { session_id: session, chunks: CHUNKS.map(described) };
    expect((await service.post(PRESIGN, device.token, body)).status).toBe(200);
    const more = { session_id: session, chunks: [...CHUNKS, compressedChunk('two', 100)].map(described) };
    expect(await service.post(PRESIGN, device.token, more)).toMatchObject({ body: { code: 'quota_exceeded' } });
  });

  test('free what they occupy', async () => {
    const { service, device } = await begin();
    const { context } = service.service;
    const first = await service.backUp(device, 'docs', [file('/a', CHUNKS)]);
    service.clock.advance(1_000);
    await service.backUp(device, 'docs', [file('/a', CHUNKS.slice(0, 1))]);
    const backupId = first.body.backup_id as string;
    const request = { device_id: device.id, backup_set: 'docs', action: 'remove', backup_id: backupId } as const;
    const answer = await performRetention(context, service.accountId, request);
    expect(answer.frees.map(({ bytes }) => bytes)).toEqual([128 + 150_028]);
  });
});
