import { mkdir, readdir, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copyService } from '../../../../../src/service/operation/copy/copy-service.ts';
import { missingBlobs } from '../../../../../src/service/operation/copy/missing-blobs.ts';
import { chunk, compressedChunk, file, temporaryDirectory, TestService } from '../../harness.ts';
import type { TestDevice, TestFile } from '../../harness.ts';

const files = (name: string): TestFile[] => [
  file(`/${name}/small`, [chunk(1_000), compressedChunk(20_000, 90_000)]),
  file(`/${name}/large`, [chunk(300_000), compressedChunk(140_000, 200_000)]),
];

/** Downloads every chunk of every restore point of the set like a client. */
async function restorable(service: TestService, device: TestDevice, set: string): Promise<number> {
  const query = `device_id=${device.id}&backup_set=${set}`;
  const token = await service.tokenOf(device.id);
  const points = await service.call('GET', `/rest/v1/restore_points?${query}`, token);
  for (const { restore_point: point } of points.body.restore_points as { restore_point: string }[]) {
    const manifest = await service.manifest({ ...device, token }, set, { point_in_time: point });
    expect(manifest.status).toBe(200);
    const hashes = (manifest.body.files as { chunks: string[] }[]).flatMap((one) => one.chunks);
    const request = { restore_session_id: manifest.body.restore_session_id as string, chunk_hashes: hashes };
    const presigned = await service.post('/functions/v1/restore/presign', token, request);
    expect(presigned).toMatchObject({ status: 200 });
    const { body } = presigned;
    expect(body.downloads).toHaveLength(hashes.length);
    for (const { url } of body.downloads as { url: string }[]) {
      expect((await service.call('GET', url)).status).toBe(200);
    }
  }
  return (points.body.restore_points as unknown[]).length;
}

test('copies completely during backups, restores, and updates the copy', async () => {
  const service = await TestService.open();
  const device = await service.register();
  for (const name of ['a', 'b']) await service.backUp(device, 'docs', files(name));
  const target = join(await temporaryDirectory(), 'copy');

  const copying = copyService(service.directory, target);
  const state = { done: false };
  void copying.finally(() => (state.done = true)).catch(() => undefined);
  let during = 0;
  while (!state.done && during < 200) {
    service.clock.advance(1_000);
    expect((await service.backUp(device, 'docs', files(`during${(during += 1)}`))).status).toBe(200);
    await turn();
  }
  expect(await copying).toMatchObject({ blobs_missing: 0 });
  expect((await stat(target)).mode & 0o777).toBe(0o700);

  const copied = await TestService.open(target, service.clock);
  const points = await restorable(copied, device, 'docs');
  expect(points).toBeGreaterThanOrEqual(2);
  expect(points).toBeLessThanOrEqual(2 + during);
  await copied.close();

  const again = await copyService(service.directory, target);
  expect(again.blobs_missing).toBe(0);
  expect(again.files_kept).toBeGreaterThan(0);
  const newest = await TestService.open(target, service.clock);
  expect(await restorable(newest, device, 'docs')).toBe(2 + during);
});

test('keeps the previous copy when an update fails', async () => {
  const service = await TestService.open();
  const device = await service.register();
  await service.backUp(device, 'docs', files('a'));
  const target = join(await temporaryDirectory(), 'copy');
  await copyService(service.directory, target);
  service.clock.advance(1_000);
  expect((await service.backUp(device, 'docs', files('b'))).status).toBe(200);
  // An obstacle blocks a pack that has grown.
  const hindrance = join(target, 'objects', 'packs', '1.pack.new');
  await mkdir(hindrance);
  await expect(copyService(service.directory, target)).rejects.toThrow(/EISDIR|directory/);
  const copied = await TestService.open(target, service.clock);
  expect(await restorable(copied, device, 'docs')).toBe(1);
  await copied.close();
  await rmdir(hindrance);
  expect(await copyService(service.directory, target)).toMatchObject({ blobs_missing: 0 });
  expect(await restorable(await TestService.open(target, service.clock), device, 'docs')).toBe(2);
});

test('keeps unchanged files regardless of sub-millisecond times', async () => {
  const service = await TestService.open();
  const device = await service.register();
  await service.backUp(device, 'docs', files('a'));
  const objects = join(service.directory, 'objects');
  const names = await readdir(objects, { recursive: true, withFileTypes: true });
  const blobs = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const [index, blob] of blobs.entries()) await utimes(blob, 1_700_000_000, 1_700_000_000.1230 + index * 0.0007);
  const target = join(await temporaryDirectory(), 'copy');
  await copyService(service.directory, target);
  expect((await copyService(service.directory, target)).files_kept).toBe(blobs.length);
});

test('counts blobs that the service has lost, and removes unused ones from the copy', async () => {
  const service = await TestService.open();
  const device = await service.register();
  await service.backUp(device, 'docs', files('a'));
  const target = join(await temporaryDirectory(), 'copy');
  expect(await copyService(service.directory, target)).toMatchObject({ blobs_missing: 0 });
  const entries = await readdir(join(service.directory, 'objects'), { recursive: true, withFileTypes: true });
  const large = entries.find((entry) => entry.isFile() && /^[0-9a-f]{64}\./.test(entry.name))!;
  await unlink(join(large.parentPath, large.name));
  expect(missingBlobs(service.directory)).toBe(1);
  // The copy still has it, and keeps it.
  expect(await copyService(service.directory, target)).toMatchObject({ blobs_missing: 0 });
  expect(missingBlobs(target)).toBe(0);
  expect(await copyService(service.directory, `${target} 2`)).toMatchObject({ blobs_missing: 1 });
  await service.service.context.metadata.chunks.markLost([Number(large.name.split('.')[1])]);
  await copyService(service.directory, target);
  await expect(
    stat(join(target, 'objects', relative(join(service.directory, 'objects'), large.parentPath), large.name)),
  ).rejects.toThrow(/ENOENT/);
});

test('rejects a target folder with other contents', async () => {
  const service = await TestService.open();
  await expect(copyService(service.directory, '/proc')).rejects.toMatchObject({ name: 'StoreError' });
  const nothing = await temporaryDirectory();
  await expect(copyService(nothing, join(nothing, 'copy'))).rejects.toMatchObject({ code: 'store_missing' });
});
