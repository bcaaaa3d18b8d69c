import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { file, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice } from '../../../unit/service/harness.ts';

const HOUR = 3_600_000;

let service: TestService;
let device: TestDevice;
/** The file of the large blob. */
let blob: string;
let used: number;

const small = file('/small', ['small']);
const large = file('/large', ['x'.repeat(200_000)]);

beforeEach(async () => {
  service = await TestService.open();
  device = await service.register();
  await service.backUp(device, 'docs', [small, large]);
  const digest = large.chunks[0]!.hash.slice('sha256:'.length);
  const names = await readdir(join(service.directory, 'objects'), { recursive: true });
  blob = join(
    service.directory,
    'objects',
    names.find((name) => name.includes(digest))!,
  );
  used = await storageUsed();
});

async function storageUsed(): Promise<number> {
  return (await service.service.context.metadata.accounts.findAccount(service.accountId))!.storageUsed;
}

/** Restores the newest restore point. Returns the status of each download, of the chunks that were presigned. */
async function restore(): Promise<number[]> {
  const manifest = await service.manifest(device, 'docs');
  const { body } = await service.post('/functions/v1/restore/presign', device.token, {
    restore_session_id: manifest.body.restore_session_id as string,
    chunk_hashes: [small, large].flatMap(({ chunks }) => chunks.map(({ hash }) => hash)),
  });
  const answers: Answer[] = [];
  for (const { url } of body.downloads as { url: string }[]) answers.push(await service.call('GET', url));
  return answers.map(({ status }) => status);
}

function tidy(): Promise<void> {
  service.service.keepHouse();
  return service.service.tidy();
}

describe('a blob that was gone for a moment', () => {
  beforeEach(async () => {
    await rename(blob, `${blob}.away`);
    expect(await restore()).toEqual([200, 404]);
    expect(await restore()).toEqual([200]);
    expect(await storageUsed()).toBeLessThan(used);
  });

  test('is restored when it is back', async () => {
    await rename(`${blob}.away`, blob);
    expect(await restore()).toEqual([200, 200]);
    expect(await storageUsed()).toBe(used);
    expect((await service.init(device, 'docs', [small, large])).body.chunks_needed).toEqual([]);
  });

  test('is found by housekeeping, so that no backup has to send it or the whole manifest', async () => {
    await tidy();
    expect((await service.init(device, 'docs', [small, large])).body.chunks_to_upload).toBe(1);
    await rename(`${blob}.away`, blob);
    service.clock.advance(HOUR);
    device = { ...device, token: await service.tokenOf(device.id) };
    await tidy();
    expect((await service.init(device, 'docs', [small, large])).body.chunks_to_upload).toBe(0);
    expect(await storageUsed()).toBe(used);
  });

  test('keeps nothing else from being restored while the disk is full', async () => {
    await rename(`${blob}.away`, blob);
    const { objects } = service.service.context;
    const flush = vi.spyOn(objects, 'flush').mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    expect(await restore()).toEqual([200]);
    flush.mockRestore();
    expect(await restore()).toEqual([200, 200]);
  });

  test('stays lost when what is back has another length', async () => {
    await writeFile(blob, 'not it');
    expect(await restore()).toEqual([200]);
    await tidy();
    expect(await restore()).toEqual([200]);
    expect((await service.init(device, 'docs', [small, large])).body.chunks_to_upload).toBe(1);
  });

  test('can be uploaded again, and then is restored', async () => {
    await service.backUp(device, 'docs', [small, large]);
    expect(await restore()).toEqual([200, 200]);
    expect(await storageUsed()).toBe(used);
  });
});

test('finds no blob of another account', async () => {
  await rename(blob, `${blob}.away`);
  await restore();
  await rename(`${blob}.away`, blob);
  const other = await service.service.context.metadata.accounts.createAccount(0);
  const stranger = await service.register(other.id);
  await service.backUp(stranger, 'docs', [small]);
  const manifest = await service.manifest(stranger, 'docs');
  const { status } = await service.post('/functions/v1/restore/presign', stranger.token, {
    restore_session_id: manifest.body.restore_session_id as string,
    chunk_hashes: [large.chunks[0]!.hash],
  });
  expect(status).toBe(422);
});
