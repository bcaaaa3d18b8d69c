import { execFileSync } from 'node:child_process';
import { mkdir, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbeddedService } from '../../src/service/embedded.ts';
import { chunk, file, manifestEntry, STATS, temporaryDirectory } from './harness.ts';

/** A file system of 12 MiB, or nothing where this process may not mount one. */
async function smallDisk(): Promise<string | undefined> {
  const directory = join(await temporaryDirectory(), 'disk');
  await mkdir(directory);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'holdfast-test', directory], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  return directory;
}

test.each([
  ['many small blobs', 60_000],
  ['large blobs', 900_000],
])('a full disk refuses %s, keeps what it has, and goes on when there is room', async (_, size) => {
  const disk = await smallDisk();
  if (disk === undefined) {
    console.warn('skipped: mounting a tmpfs needs root');
    return;
  }
  const service = await openEmbeddedService(disk, { create: true });
  const { deviceId } = await service.registerDevice({ name: 'n', os: 'linux', agent_version: '1' });
  const token = await service.deviceToken(deviceId);
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await service.fetch(new Request(`http://holdfast.embedded${path}`, request));
    return { status: answer.status, body: (await answer.json()) as Record<string, never> };
  };
  const backUp = async (blobs: readonly ReturnType<typeof chunk>[]) => {
    const files = blobs.map((one, index) => manifestEntry(file(`/${index}`, [one])));
    const init = await post('/functions/v1/backup/init', { device_id: deviceId, backup_set: 'docs', files });
    const session = init.body['session_id'] as unknown as string;
    const needed = new Set((init.body['chunks_needed'] as unknown as { hash: string }[]).map(({ hash }) => hash));
    for (const { hash, blob } of blobs) {
      if (needed.has(hash)) await service.putBlobs(session, [{ hash, bytes: blob }]);
    }
    return post('/functions/v1/backup/complete', { session_id: session, stats: STATS });
  };

  const first = [chunk('first'), chunk(200_000)];
  expect((await backUp(first)).status).toBe(200);
  // Leaves room for the metadata of the next run, and not for its blobs.
  const filling = join(disk, 'filling');
  await writeFile(filling, Buffer.alloc(7 * 2 ** 20));
  const tooMuch = Array.from({ length: Math.ceil(6_000_000 / size) }, () => chunk(size));
  const failure = await backUp(tooMuch).then(
    ({ status, body }) => ({ status, code: body['code'] as unknown }),
    (error: unknown) => ({ status: (error as { status: number }).status, code: (error as { code: string }).code }),
  );
  expect(failure).toEqual({ status: 507, code: 'insufficient_storage' });

  const restored = await post('/functions/v1/restore/manifest', {
    device_id: deviceId,
    backup_set: 'docs',
    point_in_time: '2100-01-01T00:00:00Z',
    path: '',
    recursive: true,
  }).catch(() => undefined);
  await rm(filling);
  if (restored?.status === 200) expect(restored.body['total_files']).toBe(2);
  expect((await backUp([...first, chunk(size)])).status).toBe(200);
  await service.close();

  const again = await openEmbeddedService(disk);
  expect(await again.listDevices()).toHaveLength(1);
  await again.close();
});
