import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import {
  bindFolder,
  CAN_MOUNT,
  HAS_BTRFS,
  mountBtrfs,
  mountDisk,
  subvolume,
  unmount,
  unmountAll,
} from '../../../../helpers/mount.ts';
import { replacedFs, systemError } from '../../../../helpers/replaced-fs.ts';
import { Computer, Place } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
/** A disk in the source, and where it is also mounted. */
let nas: string;
let elsewhere: string;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  home = new Place('home');
  computer.write('letter.txt', 'text');
  elsewhere = join(computer.folder, 'elsewhere');
});
afterEach(() => {
  unmountAll(computer.folder);
  computer[Symbol.dispose]();
});

type Options = Parameters<Computer['backUp']>[1];

/** Backs up. Returns the path and the problem of a disk that is missed, and else the paths of the warnings. */
async function backUp(options: Options = {}): Promise<unknown> {
  const [outcome] = await computer.backUp([home], options);
  const { report, error } = outcome!;
  if (report) return report.warnings.map(({ path }) => path);
  if (isHoldfastError(error, 'source_not_mounted')) return error.details;
  throw error;
}

/** Mounts a disk with files at a folder in the source. */
function mountNas(): void {
  nas = join(computer.source, 'nas');
  mkdirSync(nas);
  mkdirSync(elsewhere);
  mountDisk(nas);
  execFileSync('mount', ['--bind', nas, elsewhere]);
  computer.write('nas/one', 'one');
  computer.write('nas/folder/two', 'two');
}

const missed = () => ({ path: nas, problem: 'earlier-disk' });

describe.skipIf(!CAN_MOUNT)('after the catalog was lost, a disk in a source', () => {
  beforeEach(async () => {
    mountNas();
    await backUp();
  });

  test('that is there is backed up', async () => {
    computer.loseCatalog();
    expect(await backUp()).toEqual([]);
    await computer.expectRestored(home);
  });

  test.each([
    ['before the next run', false],
    ['after a run that missed it', true],
  ])('that is gone %s is never recorded as deleted, however often', async (_when, isMissedBefore) => {
    unmount(nas);
    if (isMissedBefore) expect(await backUp()).toEqual([nas]);
    computer.loseCatalog();
    for (let run = 1; run <= 3; run += 1) expect(await backUp()).toEqual(missed());
    rmSync(nas, { recursive: true });
    expect(await backUp()).toEqual(missed());
    mkdirSync(nas);
    bindFolder(elsewhere, nas);
    await computer.expectRestored(home);
    expect(await backUp()).toEqual([]);
    await computer.expectRestored(home);
  });

  test('of which the bare folder has files is never recorded as deleted', async () => {
    unmount(nas);
    computer.write('nas/one', 'below');
    computer.loseCatalog();
    for (let run = 1; run <= 2; run += 1) expect(await backUp()).toEqual(missed());
  });

  test('in whose place another disk is mounted is never recorded as deleted', async () => {
    unmount(nas);
    mountDisk(nas);
    computer.write('nas/one', 'other');
    computer.loseCatalog();
    for (let run = 1; run <= 2; run += 1) expect(await backUp()).toEqual(missed());
  });

  test('that has lost its files is never recorded as emptied, however often', async () => {
    for (const name of ['one', 'folder/two']) rmSync(join(nas, name));
    computer.loseCatalog();
    const refused = { code: 'source_empty', details: { path: nas, before: 2, directory: true } };
    for (let run = 1; run <= 3; run += 1) await expect(backUp()).rejects.toMatchObject(refused);
    expect(await backUp({ accepted: [nas] })).toEqual([]);
    await computer.expectRestored(home);
  });

  test('that was seen by a restore on the new computer is missed as well', async () => {
    unmount(nas);
    computer.loseCatalog();
    await computer.expectRestorable(home);
    expect(await backUp()).toEqual(missed());
  });

  test('that a person gives up is left out', async () => {
    unmount(nas);
    computer.loseCatalog();
    expect(await backUp({ accepted: [nas] })).toEqual([]);
    await computer.expectRestored(home);
    computer.loseCatalog();
    expect(await backUp()).toEqual([]);
  });

  test('that may be absent does not stop a run', async () => {
    unmount(nas);
    computer.loseCatalog();
    expect(await backUp({ optionalRoots: [nas] })).toEqual([]);
  });
});

describe.skipIf(!CAN_MOUNT)('after the catalog was lost, several disks in a source', () => {
  const names = ['cache', 'nas', 'shm'];
  const disks = () => names.map((name) => join(computer.source, name));
  const [first, ...others] = ['cache', 'nas', 'nas/inner'];
  const at = (name: string | undefined) => join(computer.source, name!);
  const allMissed = () => ({ path: at(first), problem: 'earlier-disks', count: 3, others: others.map(at) });
  beforeEach(async () => {
    for (const disk of disks()) {
      mkdirSync(disk);
      mountDisk(disk);
    }
    mkdirSync(at('nas/inner'));
    mountDisk(at('nas/inner'));
    for (const disk of ['cache', 'nas', 'nas/inner']) computer.write(`${disk}/one`, disk);
    await backUp();
    // As after another start: each file system in memory is a new one.
    unmount(at('nas/inner'));
    for (const disk of disks()) {
      unmount(disk);
      mountDisk(disk);
    }
    computer.loseCatalog();
  });

  test('are named in one refusal, but for those that had nothing', async () => {
    for (let run = 1; run <= 2; run += 1) expect(await backUp()).toEqual(allMissed());
  });

  test('are left out together once a person has given up each of them', async () => {
    expect(await backUp({ accepted: [at('nas')] })).toEqual({ path: at('cache'), problem: 'earlier-disk' });
    expect(await backUp({ accepted: [at('cache'), at('nas')] })).toEqual([]);
    await computer.expectRestored(home);
  });
});

describe.skipIf(!CAN_MOUNT)('after the catalog was lost, a source on a disk', () => {
  let documents: string;
  const backUpDocuments = (options: Options = {}) => backUp({ roots: [documents], ...options });
  beforeEach(async () => {
    mountNas();
    documents = join(nas, 'folder');
    await backUpDocuments();
    unmount(nas);
    computer.loseCatalog();
  });

  test('that is gone is never recorded as deleted, where its folder is empty', async () => {
    mkdirSync(documents);
    for (let run = 1; run <= 2; run += 1) expect(await backUpDocuments()).toEqual(missed());
    expect(await backUpDocuments({ accepted: [documents] })).toEqual([]);
  });

  test('is never recorded as deleted, where its folder has other files only', async () => {
    computer.write('nas/folder/stray', 'stray');
    for (let run = 1; run <= 2; run += 1) expect(await backUpDocuments()).toEqual(missed());
    expect(await backUpDocuments({ accepted: [nas] })).toEqual([]);
  });

  test('is backed up where it lies on another one with files, as on a new computer', async () => {
    computer.write('nas/folder/two', 'two');
    expect(await backUpDocuments()).toEqual([]);
  });
});

describe('after the catalog was lost', () => {
  const refusal = async (options: Options = {}): Promise<unknown> => {
    const [outcome] = await computer.backUp([home], options);
    const { error } = outcome!;
    if (error === undefined) return undefined;
    return isHoldfastError(error) ? { code: error.code, ...error.details } : error;
  };
  let folder: string;
  beforeEach(async () => {
    computer.write('folder/one', 'one');
    computer.write('folder/two', 'two');
    folder = join(computer.source, 'folder');
    await backUp();
    computer.loseCatalog();
  });

  test('a folder that cannot be read is never recorded as deleted, however often', async () => {
    {
      using _fs = replacedFs(({ readdirSync }) => ({
        readdirSync: ((path: string, ...rest: []) => {
          if (path === folder) throw systemError('EACCES');
          return readdirSync(path, ...rest);
        }) as typeof readdirSync,
      }));
      const missed = { code: 'source_unreadable', path: folder, problem: 'earlier-content', count: 1 };
      for (let run = 1; run <= 3; run += 1) expect(await refusal()).toEqual(missed);
    }
    expect(await backUp()).toEqual([]);
    await computer.expectRestored(home);
  });

  test.skipIf(!HAS_BTRFS)('a subvolume that a rollback has left behind is never recorded as emptied', async () => {
    const disk = join(computer.source, 'disk');
    mkdirSync(disk);
    mountBtrfs(disk, join(computer.folder, 'disk'));
    subvolume('create', join(disk, 'home'));
    subvolume('create', join(disk, 'home/project'));
    computer.write('disk/home/letter.txt', 'text');
    const options = { roots: [join(disk, 'home')] };
    computer.write('disk/home/project/one', 'one');
    await backUp(options);
    subvolume('snapshot', join(disk, 'home'), join(disk, 'new'));
    renameSync(join(disk, 'home'), join(disk, 'old'));
    renameSync(join(disk, 'new'), join(disk, 'home'));
    computer.loseCatalog();
    const path = join(disk, 'home/project');
    const missed = { code: 'source_unreadable', path, problem: 'earlier-content', count: 1 };
    for (let run = 1; run <= 3; run += 1) expect(await refusal(options)).toEqual(missed);
    expect(await refusal({ ...options, accepted: [path] })).toBeUndefined();
    expect(await refusal(options)).toBeUndefined();
  });

  test('a file that cannot be read is never recorded as deleted', async () => {
    const file = join(folder, 'two');
    computer.unreadable.add(file);
    expect(await refusal()).toEqual({ code: 'source_unreadable', path: file, problem: 'earlier-content', count: 1 });
    expect(await backUp({ accepted: [file] })).toEqual([file]);
  });

  test('many files that cannot be read are counted, but for those that were never backed up', async () => {
    for (let number = 0; number < 20; number += 1)
      computer.unreadable.add(computer.write(`folder/new-${number}`, 'new'));
    for (const name of ['one', 'two']) computer.unreadable.add(join(folder, name));
    const missed = { code: 'source_unreadable', path: join(folder, 'one'), problem: 'earlier-content', count: 2 };
    expect(await refusal()).toEqual(missed);
    computer.unreadable.delete(join(folder, 'one'));
    expect(await refusal()).toEqual({ ...missed, path: join(folder, 'two'), count: 1 });
    computer.unreadable.delete(join(folder, 'two'));
    expect(await backUp()).toHaveLength(20);
  });

  test('a source of which a rule leaves everything out is no empty one', async () => {
    expect(await refusal({ roots: [folder], excludes: ['*'] })).toBeUndefined();
  });

  test.each([
    ['its folders', (): void => void mkdirSync(join(folder, 'inner'), { recursive: true })],
    ['what systems create by themselves', (): void => mkdirSync(join(folder, 'lost+found'))],
    ['what a rule leaves out', (): void => void computer.write('folder/left.tmp', 'left')],
  ])('a source that has only %s left is never recorded as emptied, however often', async (_name, leave) => {
    const options = { roots: [folder], excludes: ['*.tmp'] };
    computer.write('folder/inner/three', 'three');
    await backUp(options);
    computer.loseCatalog();
    for (const name of ['one', 'two', 'inner']) rmSync(join(folder, name), { recursive: true });
    leave();
    for (let run = 1; run <= 3; run += 1) {
      expect(await refusal(options)).toEqual({ code: 'source_empty', path: folder, before: 3, directory: true });
    }
    expect(await refusal({ ...options, accepted: [folder] })).toBeUndefined();
    expect(await refusal(options)).toBeUndefined();
  });

  test('what could not be read before either does not stop a run', async () => {
    const file = computer.write('folder/new', 'new');
    computer.unreadable.add(file);
    expect(await backUp()).toEqual([file]);
  });

  test.each(['source', 'one of two sources'])(
    'an empty %s is never recorded as deleted, however often',
    async (which) => {
      computer.write('other/three', 'three');
      const roots = which === 'source' ? [folder] : [folder, join(computer.source, 'other')];
      await backUp({ roots });
      computer.loseCatalog();
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      for (let run = 1; run <= 3; run += 1) {
        expect(await refusal({ roots })).toEqual({ code: 'source_empty', path: folder, before: 2, directory: true });
      }
      expect(await refusal({ roots, accepted: [folder] })).toBeUndefined();
    },
  );
});
