import { describe, expect, test } from 'vitest';
import { openStores } from '../../../../src/service/open-stores.ts';
import { Bucket } from '../../../../src/storage/bucket/bucket.ts';
import type { BucketConfig } from '../../../../src/storage/bucket/bucket-config.ts';
import { HAS_S3, newBucket } from '../../../helpers/s3/s3-server.ts';
import {
  file,
  TestClock,
  TestService,
  temporaryDirectory,
  type Answer,
  type TestDevice,
} from '../../../unit/service/harness.ts';

describe.skipIf(!HAS_S3)('a service with a bucket (scripts/install-test-tools.sh)', () => {
  async function open(
    config?: BucketConfig,
    directory?: string,
  ): Promise<{ service: TestService; bucket: BucketConfig }> {
    const bucket = config ?? (await newBucket());
    const clock = new TestClock();
    // The bucket's URLs expire in real time.
    clock.advance(Date.now() - clock.now());
    return { service: await TestService.open(directory, clock, undefined, bucket), bucket };
  }

  async function put(service: TestService, device: TestDevice, init: Answer, hash: string, blob: Uint8Array) {
    const body = { session_id: init.body.session_id as string, chunk_hash: hash, chunk_size: blob.length };
    const presign = await service.post('/functions/v1/backup/presign', device.token, body);
    if (presign.status !== 200) return presign.status;
    const { upload_url: url, headers } = presign.body as { upload_url: string; headers: Record<string, string> };
    const response = await fetch(url, { method: 'PUT', headers, body: blob as Uint8Array<ArrayBuffer> });
    return response.status;
  }

  const files = [file('/a', ['one', 'two']), file('/b', ['three'])];
  const blobs = new Map(files.flatMap(({ chunks }) => chunks.map((part) => [part.hash, part.blob] as const)));

  test('transfers blobs between client and bucket only', async () => {
    const { service, bucket } = await open();
    const device = await service.register();
    const { body } = await service.call('GET', '/functions/v1/capabilities');
    expect(body.capabilities).not.toContain('backup.pack');
    expect(body.capabilities).not.toContain('restore.pack');
    const init = await service.init(device, 'documents', files);
    for (const [hash, blob] of blobs) expect(await put(service, device, init, hash, blob)).toBe(200);
    expect(await service.complete(device, init.body.session_id)).toMatchObject({
      status: 200,
      body: { storage_used_bytes: [...blobs.values()].reduce((sum, blob) => sum + blob.length, 0) },
    });

    const manifest = await service.manifest(device, 'documents');
    const { body: presigned } = await service.post('/functions/v1/restore/presign', device.token, {
      restore_session_id: manifest.body.restore_session_id,
      chunk_hashes: [...blobs.keys()],
    });
    for (const { hash, url } of presigned.downloads as { hash: string; url: string }[]) {
      expect(url.startsWith(bucket.endpoint!)).toBe(true);
      const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
      expect(bytes).toEqual(new Uint8Array(blobs.get(hash)!));
    }
    expect(presigned.downloads).toHaveLength(blobs.size);
  });

  test('completes only when every blob is stored, and lists the missing ones', async () => {
    const { service } = await open();
    const device = await service.register();
    const init = await service.init(device, 'documents', files);
    const [first, ...others] = [...blobs];
    for (const [hash, blob] of others) await put(service, device, init, hash, blob);
    const refused = await service.complete(device, init.body.session_id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'chunks_missing', missing_chunks: [first![0]] } });
    await put(service, device, init, ...first!);
    expect((await service.complete(device, init.body.session_id)).status).toBe(200);
  });

  test('counts uploads of an earlier session, whether it is open, aborted or expired', async () => {
    const { service } = await open();
    const device = await service.register();
    const [one, two, three] = [...blobs];
    const first = await service.init(device, 'documents', files);
    await put(service, device, first, ...one!);
    const second = await service.init(device, 'documents', files);
    expect((second.body.chunks_needed as { hash: string }[]).map(({ hash }) => hash)).toEqual([two![0], three![0]]);
    await put(service, device, second, ...two!);
    await service.post('/functions/v1/backup/abort', device.token, { session_id: second.body.session_id });
    const third = await service.init(device, 'documents', files);
    expect((third.body.chunks_needed as { hash: string }[]).map(({ hash }) => hash)).toEqual([three![0]]);
  });

  test('never replaces a blob by a second PUT', async () => {
    const { service } = await open();
    const device = await service.register();
    const init = await service.init(device, 'documents', files);
    const [hash, blob] = [...blobs][0]!;
    expect(await put(service, device, init, hash, blob)).toBe(200);
    expect(await put(service, device, init, hash, new Uint8Array(blob.length))).toBe(412);
  });

  test('detects a missing blob when its URL is requested again, and has the next backup upload it', async () => {
    const { service, bucket } = await open();
    const device = await service.register();
    const init = await service.init(device, 'documents', files);
    for (const [hash, blob] of blobs) await put(service, device, init, hash, blob);
    await service.complete(device, init.body.session_id);
    const [gone, ...others] = [...blobs.keys()];
    const storage = new Bucket(bucket);
    const names = (await storage.list('objects/')).map(({ name }) => name);
    await storage.delete(names.filter((name) => name.endsWith(gone!.slice('sha256:'.length))));
    storage.close();

    const manifest = await service.manifest(device, 'documents');
    const presigned = async () => {
      const { body } = await service.post('/functions/v1/restore/presign', device.token, {
        restore_session_id: manifest.body.restore_session_id,
        chunk_hashes: [...blobs.keys()],
      });
      return (body.downloads as { hash: string }[]).map(({ hash }) => hash);
    };
    expect(await presigned()).toEqual([gone, ...others]);
    expect(await presigned()).toEqual(others);
    const next = await service.init(device, 'documents', files);
    expect((next.body.chunks_needed as { hash: string }[]).map(({ hash }) => hash)).toEqual([gone]);
    expect(await put(service, device, next, gone!, blobs.get(gone!)!)).toBe(200);
    expect((await service.complete(device, next.body.session_id)).status).toBe(200);
    expect(await presigned()).toEqual([gone, ...others]);
  });

  test('finds a blob again that was gone for a moment', async () => {
    const { service, bucket } = await open();
    const device = await service.register();
    const init = await service.init(device, 'documents', files);
    for (const [hash, blob] of blobs) await put(service, device, init, hash, blob);
    const { body: completed } = await service.complete(device, init.body.session_id);
    const [gone] = [...blobs.keys()];
    const storage = new Bucket(bucket);
    const listed = await storage.list('objects/');
    const { name } = listed.find((object) => object.name.endsWith(gone!.slice('sha256:'.length)))!;
    await storage.delete([name]);
    const manifest = await service.manifest(device, 'documents');
    const presigned = async () => {
      const { body } = await service.post('/functions/v1/restore/presign', device.token, {
        restore_session_id: manifest.body.restore_session_id,
        chunk_hashes: [gone],
      });
      return (body.downloads as { hash: string }[]).length;
    };
    expect([await presigned(), await presigned(), await presigned()]).toEqual([1, 0, 0]);
    await storage.put(name, Buffer.from('not it'));
    expect(await presigned()).toBe(0);
    await storage.put(name, blobs.get(gone!)!);
    storage.close();
    expect(await presigned()).toBe(1);
    const { storageUsed } = (await service.service.context.metadata.accounts.findAccount(service.accountId))!;
    expect(storageUsed).toBe(completed.storage_used_bytes);
  });

  test('refuses uploads beyond the limit, at init and at presign', async () => {
    const { service } = await open();
    const device = await service.register();
    const { plans } = service.service.context.metadata;
    const size = [...blobs.values()].reduce((sum, blob) => sum + blob.length, 0);
    await plans.set(service.accountId, { name: 'small', limit: size - 1 }, service.clock.now());
    expect(await service.init(device, 'documents', files)).toMatchObject({
      status: 413,
      body: { code: 'quota_exceeded' },
    });
    await plans.set(service.accountId, { name: 'large', limit: size }, service.clock.now());
    const init = await service.init(device, 'documents', files);
    expect(init.status).toBe(200);
    await plans.set(service.accountId, { name: 'tiny', limit: 1 }, service.clock.now());
    expect(await put(service, device, init, ...[...blobs][0]!)).toBe(413);
    await plans.set(service.accountId, { name: 'none', limit: undefined }, service.clock.now());
    expect(await put(service, device, init, ...[...blobs][0]!)).toBe(200);
  });

  test('opens its part of a bucket again, beside another service in another part', async () => {
    const { service, bucket } = await open();
    const device = await service.register();
    await service.close();
    const { service: again } = await open(bucket, service.directory);
    const init = await again.init({ ...device, token: await again.tokenOf(device.id) }, 'documents', files);
    expect(init.status).toBe(200);
    await open({ ...bucket, prefix: 'other/' });
  });

  test('reports what is wrong with a bucket', async () => {
    const bucket = await newBucket();
    const directory = await temporaryDirectory();
    const refused = (change: Partial<BucketConfig>) =>
      openStores(directory, { create: true, bucket: { ...bucket, ...change } });
    await expect(refused({ bucket: `${bucket.bucket}-not` })).rejects.toMatchObject({ problem: 'missing' });
    const credentials = { ...bucket.credentials, secretAccessKey: 'wrong' };
    await expect(refused({ credentials })).rejects.toMatchObject({ problem: 'denied' });
    const other = new Bucket(bucket);
    await other.put('holdfast-store.json', Buffer.from('{"format":"holdfast-bucket","version":2}'));
    other.close();
    await expect(refused({})).rejects.toMatchObject({ name: 'ForeignBucketError' });
  });
});
