import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import {
  bindFolder,
  CAN_MOUNT,
  ext4Image,
  HAS_EXT4,
  mountDisk,
  mountImage,
  unmount,
  unmountAll,
} from '../../../../helpers/mount.ts';
import { Computer, Place } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  home = new Place('home');
  computer.write('letter.txt', 'text');
});
afterEach(() => {
  unmountAll(computer.folder);
  computer[Symbol.dispose]();
});

const at = (...names: readonly string[]): string => join(computer.source, ...names);

/** Backs up, and returns the reasons of the warnings by path. */
async function backUp(options: Parameters<Computer['backUp']>[1] = {}): Promise<Readonly<Record<string, string>>> {
  return await computer.warningsAt(home, options);
}

/** Makes a disk with files in the source, which stays mounted elsewhere as well. Returns both folders. */
function disk(): { readonly nas: string; readonly elsewhere: string } {
  const nas = at('nas');
  const elsewhere = join(computer.folder, 'elsewhere');
  for (const folder of [nas, elsewhere]) mkdirSync(folder);
  mountDisk(nas);
  execFileSync('mount', ['--bind', nas, elsewhere]);
  for (const name of ['one', 'photos/two', 'photos/deep/three']) computer.write(join('nas', name), `disk ${name}`);
  return { nas, elsewhere };
}

/** Backs up twice: each restore point has everything of a copy, and each run names the same. */
async function expectKept(copy: string, named: Readonly<Record<string, string>>): Promise<void> {
  for (let run = 1; run <= 2; run += 1) {
    expect(await backUp()).toEqual(named);
    await computer.expectRestored(home, copy);
  }
}

describe.skipIf(!CAN_MOUNT)('a disk in a source', () => {
  test('is at home again after another one was in its place, which keeps its last version', async () => {
    const { nas, elsewhere } = disk();
    computer.write('nas/four', 'disk');
    await backUp();
    unmount(nas);
    mountDisk(nas);
    computer.write('nas/visiting', 'of the other disk');
    computer.write('nas/both', 'of the other disk');
    expect(await backUp()).toEqual({ [nas]: 'folder-other-disk' });
    unmount(nas);
    bindFolder(elsewhere, nas);
    computer.write('nas/one', 'changed', 9000);
    rmSync(join(nas, 'photos/two'));
    expect(await backUp()).toEqual({});
    computer.write('nas/both', 'of the first disk', 9000);
    const copy = computer.copyOfSource();
    for (const name of ['visiting', 'both']) writeFileSync(join(copy, 'nas', name), 'of the other disk');
    await expectKept(copy, { [join(nas, 'both')]: 'name-of-other-disk' });
    expect(await backUp({ accepted: [join(nas, 'both')] })).toEqual({});
    writeFileSync(join(copy, 'nas/both'), 'of the first disk');
    await computer.expectRestored(home, copy);
  });

  test('that is at home does not take the files of a visitor for deleted at a new destination', async () => {
    const { nas, elsewhere } = disk();
    await backUp();
    unmount(nas);
    mountDisk(nas);
    computer.write('nas/visiting', 'of the other disk');
    expect(await backUp()).toEqual({ [nas]: 'folder-other-disk' });
    unmount(nas);
    bindFolder(elsewhere, nas);
    const [first, late] = await computer.backUp([home, new Place('late')]);
    expect(first!.report?.warnings).toEqual([]);
    expect(late!.report?.warnings).toEqual([{ path: join(nas, 'visiting'), reason: 'not-stored' }]);
  });

  test('from which the one in its place was copied does not bring its older versions back', async () => {
    const { nas, elsewhere } = disk();
    await backUp();
    unmount(nas);
    mountDisk(nas);
    execFileSync('cp', ['-a', `${elsewhere}/.`, nas]);
    expect(await backUp()).toEqual({});
    computer.write('nas/one', 'changed on the copy', 9_000_000);
    expect(await backUp()).toEqual({});
    const copy = computer.copyOfSource();
    unmount(nas);
    bindFolder(elsewhere, nas);
    expect(await backUp()).toEqual({ [nas]: 'folder-other-disk' });
    await computer.expectRestored(home, copy);
    // It has most of the files again.
    await expectKept(copy, { [join(nas, 'one')]: 'name-of-other-disk' });
  });

  test.skipIf(!HAS_EXT4)('is read again where sizes, times and inodes are those of the one before it', async () => {
    const images = ['first', 'second'].map((content) => {
      const folder = join(computer.folder, content);
      mkdirSync(folder);
      for (let number = 0; number < 4; number += 1) {
        // Half of them are alike, so that the second one counts as a copy.
        writeFileSync(join(folder, `f${number}`), number < 2 ? 'same in both' : content.padEnd(6));
      }
      return ext4Image(folder, `${folder}.image`, 1_700_000_000);
    });
    const nas = at('nas');
    mkdirSync(nas);
    mountImage(images[0]!, nas);
    const before = lstatSync(join(nas, 'f3'), { bigint: true });
    await backUp();
    unmount(nas);
    mountImage(images[1]!, nas);
    const now = lstatSync(join(nas, 'f3'), { bigint: true });
    for (const field of ['ino', 'size', 'mtimeNs', 'ctimeNs'] as const) expect(now[field]).toBe(before[field]);
    expect(await backUp()).toEqual({});
    await computer.expectRestored(home);
  });
});
