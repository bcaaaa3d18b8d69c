import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { InProcessService } from '../../../helpers/service/in-process-service.ts';
import { chunk, file, manifestEntry, STATS, temporaryDirectory } from '../../../unit/service/harness.ts';

/** Mounts a file system of 12 MiB; returns `undefined` if this process may not. */
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

test.for([
  ['many small blobs', 60_000],
  ['large blobs', 900_000],
] as const)('a full disk refuses %s, keeps its data, and continues when there is space', async ([, size], { skip }) => {
  const disk = await smallDisk();
  if (disk === undefined) return skip('mounting a tmpfs needs root');
  const service = await InProcessService.open(disk, { create: true });
  const { deviceId } = await service.registerDevice({ name: 'n', os: 'linux', agent_version: '1' });
  const token = await service.deviceToken(deviceId);
  const post = (path: string, body: object) => service.post(path, token, body);
  const backUp = async (blobs: readonly ReturnType<typeof chunk>[]) => {
    const files = blobs.map((one, index) => manifestEntry(file(`/${index}`, [one])));
    const init = await post('/functions/v1/backup/init', { device_id: deviceId, backup_set: 'docs', files });
    const session = init.body['session_id'] as string;
    const needed = new Set((init.body['chunks_needed'] as { hash: string }[]).map(({ hash }) => hash));
    for (const { hash, size, blob } of blobs) {
      if (!needed.has(hash)) continue;
      const stored = await service.putPack(token, session, [{ hash, bytes: blob, size }]);
      if (stored.status !== 200) return stored;
    }
    return post('/functions/v1/backup/complete', { session_id: session, stats: STATS });
  };

  const first = [chunk('first'), chunk(200_000)];
  expect((await backUp(first)).status).toBe(200);
  // Leaves room for the metadata of the next run, but not for its blobs.
  const filling = join(disk, 'filling');
  await writeFile(filling, Buffer.alloc(7 * 2 ** 20));
  const tooMuch = Array.from({ length: Math.ceil(6_000_000 / size) }, () => chunk(size));
  expect(await backUp(tooMuch)).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });

  // Restores work although the disk is completely full.
  await fillUp(join(disk, 'rest'));
  const restored = await post('/functions/v1/restore/manifest', {
    device_id: deviceId,
    backup_set: 'docs',
    point_in_time: '2100-01-01T00:00:00Z',
    path: '',
    recursive: true,
  });
  expect([restored.status, restored.body['total_files']]).toEqual([200, 2]);
  const id = restored.body['restore_session_id'] as string;
  const got = await service.getPack(
    token,
    id,
    first.map(({ hash }) => hash),
  );
  expect(got).toEqual(first.map(({ blob }) => Buffer.from(blob)));
  await rm(filling);
  await rm(join(disk, 'rest'));
  expect((await backUp([...first, chunk(size)])).status).toBe(200);
  await service.close();

  const again = await InProcessService.open(disk);
  expect(await again.devices()).toHaveLength(1);
  await again.close();
});

async function fillUp(path: string): Promise<void> {
  try {
    for (;;) await appendFile(path, Buffer.alloc(4_096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}
