import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MountState } from '../../../../src/ipc/home-state.ts';
import { HAS_FUSE, isMounted } from '../../../helpers/mount.ts';
import { HostInTime, setForm } from './host-in-time.ts';

/** Of another process: this one would wait for its own thread, with which it shares the loading of modules. */
const read = async (file: string): Promise<string> =>
  (await promisify(execFile)('cat', [file], { timeout: 60_000 })).stdout;

const PATIENCE = { timeout: 60_000, interval: 100 };

/** Starts a program that has a file open. */
async function usedBy(file: string): Promise<ReturnType<typeof spawn>> {
  const program = spawn('sh', ['-c', 'exec 3<"$1"; echo open; exec sleep 600', 'sh', file]);
  await once(program.stdout, 'data');
  return program;
}

describe.skipIf(!HAS_FUSE)('a set that the window shows in the file manager', () => {
  let folder: string;
  let host: HostInTime;
  const ask = async (name: string, input: object): Promise<Record<string, unknown>> =>
    (await host.call(name, input)) as Record<string, unknown>;
  const begin = async (): Promise<MountState> => (await ask('mounts.begin', { set: 'a/b' }))['mount'] as MountState;
  const newest = async (): Promise<string> => {
    const { points } = (await ask('restore.points', { set: 'a/b' })) as { points: { restorePoint: string }[] };
    return points[0]!.restorePoint;
  };

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mounts-')));
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files', 'notes.txt'), 'four words of text');
    host = new HostInTime(join(folder, 'home'));
    host.start();
    const destination = { kind: 'folder', path: join(folder, 'backups') };
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    // A name that is no name of a folder.
    await ask('sets.add', { form: { ...setForm(join(folder, 'files'), 'manual'), name: 'a/b' } });
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('can be read there while backups go on, is in the state, and in the activity when it has ended', async () => {
    await ask('runs.backup', { set: 'a/b' });
    await host.seen(({ runs, sets }) => runs.length === 0 && sets[0]?.lastPoint !== undefined);
    const mount = await begin();
    expect(await begin()).toMatchObject({ id: mount.id });
    expect(isMounted(mount.folder)).toBe(true);
    await host.seen(({ mounts }) => mounts?.[0]?.id === mount.id);
    const point = (await ask('mounts.folder', { id: mount.id, restorePoint: await newest() }))['folder'] as string;
    expect(await read(join(point, 'files', 'notes.txt'))).toBe('four words of text');
    writeFileSync(join(folder, 'files', 'more.txt'), 'more');
    await ask('runs.backup', { set: 'a/b' });
    await host.seen(({ runs, sets }) => runs.length === 0 && sets[0]?.lastPoint?.files === 2);
    // The mount has no row while it lasts, and a run does not mark it as interrupted.
    expect(await ask('activity.list', { kind: 'mount', limit: 5 })).toMatchObject({ runs: [] });
    await ask('mounts.end', { id: mount.id });
    await expect.poll(() => isMounted(mount.folder), PATIENCE).toBe(false);
    const rows = async (): Promise<readonly { id: number }[]> =>
      ((await ask('activity.list', { kind: 'mount', limit: 5 })) as { runs: { id: number }[] }).runs;
    await expect.poll(rows, PATIENCE).toHaveLength(1);
    const runs = await rows();
    expect(runs).toMatchObject([{ kind: 'mount', set: 'a/b', outcome: 'succeeded', trigger: 'person' }]);
    await expect.poll(() => host.states.at(-1)!.mounts, PATIENCE).toEqual([]);
    expect((await ask('activity.run', { run: runs[0]!.id }))['report']).toMatchObject({
      mount: { folder: mount.folder, errors: 0 },
    });
  }, 120_000);

  test('is closed when no program uses it any more, or at once', async () => {
    const mount = await begin();
    const file = join(mount.folder, await newest(), 'files', 'notes.txt');
    const user = await usedBy(file);
    try {
      await ask('mounts.end', { id: mount.id });
      await host.seen(({ mounts }) => mounts?.[0]?.isBusy === true);
      expect(isMounted(mount.folder)).toBe(true);
      await ask('mounts.end', { id: mount.id, detaches: true });
      await expect.poll(() => isMounted(mount.folder), PATIENCE).toBe(false);
    } finally {
      user.kill();
    }
    await expect.poll(() => host.states.at(-1)!.mounts, PATIENCE).toEqual([]);
  }, 120_000);

  test('is closed with the program, also while it is used', async () => {
    const mount = await begin();
    const user = await usedBy(join(mount.folder, await newest(), 'files', 'notes.txt'));
    try {
      await host[Symbol.asyncDispose]();
      expect(isMounted(mount.folder)).toBe(false);
    } finally {
      user.kill();
    }
    expect(!existsSync(mount.folder) || readdirSync(mount.folder).length === 0).toBe(true);
  }, 120_000);
});
