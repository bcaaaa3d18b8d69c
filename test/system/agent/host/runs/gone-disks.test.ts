import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppState } from '../../../../../src/ipc/state.ts';
import type { Need } from '../../../../../src/model/need.ts';
import { CAN_MOUNT, mountDisk, unmount, unmountAll } from '../../../../helpers/mount.ts';
import { DestinationFixture } from '../destination/destination-fixture.ts';
import { failureFrom } from '../../../../unit/agent/host/handler-fixture.ts';
import type { HostProcess } from '../host-process.ts';

let fixture: DestinationFixture;
beforeEach(() => {
  fixture = new DestinationFixture();
});
afterEach(() => {
  unmountAll(fixture.folder);
  fixture.close();
});

const set = 'Documents';

/** Makes a disk with a file in a folder. */
function disk(folder: string): string {
  mkdirSync(folder, { recursive: true });
  mountDisk(folder);
  writeFileSync(join(folder, 'letter.txt'), 'text');
  return folder;
}

/** Waits for the end of a run, and returns the needs by then. */
async function needsAfter(host: HostProcess, { run }: { readonly run: number }): Promise<readonly Need[]> {
  const isOver = ({ runs, sets: [only] }: AppState): boolean => runs.length === 0 && only?.lastBackup?.id === run;
  return (await host.until(`the end of run ${run}`, isOver)).needs;
}

/** Returns whether a restore of a restore point brings a file of the source back. */
async function isIn(restorePoint: string, ...file: readonly string[]): Promise<boolean> {
  const to = fixture.at('restored');
  rmSync(to, { recursive: true, force: true });
  await fixture.command('home', ['restore', set, '--at', restorePoint, '--to', to]);
  return existsSync(join(to, 'files', ...file));
}

describe.skipIf(!CAN_MOUNT)('a disk that is gone for good', () => {
  test('in a folder of a set is reported until a person says so, and only the folder that a backup missed is taken', async () => {
    const nas = disk(fixture.at('files', 'nas'));
    const other = disk(fixture.at('files', 'other'));
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    unmount(nas);
    unmount(other);
    const missing = (folder: string): Need => ({ kind: 'folder-missing', set, folder, problem: 'not-mounted' });
    for (let run = 1; run <= 3; run += 1) {
      expect(await needsAfter(host, await host.call('runs.backup', { set }))).toEqual([missing(nas), missing(other)]);
    }
    const kept = await pointOf(host);

    for (const folder of [fixture.at('files'), join(nas, 'letter.txt'), fixture.at('files', 'deep'), '/']) {
      expect(await failureFrom(host.call('runs.accept', { set, folders: [folder] }))).toEqual({
        code: 'usage',
        details: { problem: 'folder-not-missed', set, path: folder },
      });
    }
    expect(await failureFrom(host.call('runs.accept', { set: 'Other', folders: [nas] }))).toMatchObject({
      code: 'set_unknown',
    });

    expect(await needsAfter(host, await host.call('runs.accept', { set, folders: [nas] }))).toEqual([missing(other)]);
    const accepted = await pointOf(host);
    expect(await isIn(accepted, 'nas', 'letter.txt')).toBe(false);
    expect(await isIn(accepted, 'other', 'letter.txt')).toBe(true);
    expect(await isIn(kept, 'nas', 'letter.txt')).toBe(true);
    // It is missed no more.
    expect(await failureFrom(host.call('runs.accept', { set, folders: [nas] }))).toMatchObject({ code: 'usage' });

    // Who says that it may be missing hears of it no more either, and its last version stays.
    const { form } = await host.call('sets.get', { set });
    await host.call('sets.save', { set, form: { ...form, optionalRoots: [other] } });
    expect((await host.until('no need', ({ needs }) => needs.length === 0)).health).toBe('protected');
    expect(await needsAfter(host, await host.call('runs.backup', { set }))).toEqual([]);
    expect(await isIn(await pointOf(host), 'other', 'letter.txt')).toBe(true);
  });

  test('that was the only folder of a set is accepted as it is after the backups that it stopped', async () => {
    const files = fixture.at('files');
    await using host = await fixture.start();
    disk(files);
    await fixture.setUp(host);
    await fixture.backUp(host);
    unmount(files);
    const stopped = await host.call('runs.backup', { set }).catch((error: unknown) => error);
    await host.until('the failure', ({ needs }) => needs.some(({ kind }) => kind === 'failed'));
    expect(stopped).toBeDefined();
    expect(await needsAfter(host, await host.call('runs.accept', { set, folders: [files] }))).toEqual([]);
    expect(await isIn(await pointOf(host), '0.txt')).toBe(true);
    expect(await isIn(await pointOf(host), 'letter.txt')).toBe(false);
  });
});

/** Returns the newest restore point. */
async function pointOf(host: HostProcess): Promise<string> {
  const { points } = await host.call('restore.points', { set });
  return points[0]!.restorePoint;
}
