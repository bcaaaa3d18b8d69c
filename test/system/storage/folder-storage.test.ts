import { execFileSync, spawnSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  type PathLike,
} from 'node:fs';
import { link, open as openFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FolderStorage } from '../../../src/storage/folder/folder-storage.ts';
import { FILE_CALLS, UnfinishedFile } from '../../../src/storage/folder/new-file.ts';
import { tryStorage } from '../../../src/storage/try-storage.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';
import { replacedFsPromises } from '../../helpers/replaced-fs.ts';
import { MARKER, newRepositoryFolder, placeIn } from './folder-place.ts';
import { expectCompleteAfterKill } from './killed-put.ts';

describeStorage('folder', async () => {
  const folder = newRepositoryFolder();
  return { open: () => FolderStorage.open(folder), ...placeIn(folder) };
});

const pbkdf2Async = promisify(pbkdf2);
const bytes = (text: string) => [Buffer.from(text)];
const IS_ROOT = process.platform === 'linux' && process.getuid?.() === 0;

function newFolder(): string {
  const folder = newRepositoryFolder();
  onTestFinished(placeIn(folder).close);
  return folder;
}

async function open(folder: string, isNew = false): Promise<FolderStorage> {
  const storage = await FolderStorage.open(folder, { isNew });
  onTestFinished(() => storage[Symbol.asyncDispose]());
  return storage;
}

const missing = (directory: string) => ({ code: 'destination_missing', details: { directory } });

/** Names the files of a folder that this process has open. */
function filesHeldIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

async function expectMissing(storage: FolderStorage): Promise<void> {
  const expected = missing(storage.address);
  await expect(storage.put('packs/bb/new', bytes('new'))).rejects.toMatchObject(expected);
  await expect(storage.get('keys/none')).rejects.toMatchObject(expected);
  await expect(storage.delete('keys/a')).rejects.toMatchObject(expected);
  await expect(listed(storage, 'ledger/')).rejects.toMatchObject(expected);
}

describe('folder storage', () => {
  test('opens only a folder with a repository', async () => {
    const folder = newFolder();
    rmSync(join(folder, 'holdfast.json'));
    await expect(FolderStorage.open(folder)).rejects.toMatchObject(missing(folder));
    await expect(FolderStorage.open(join(folder, 'none'))).rejects.toMatchObject(missing(join(folder, 'none')));
    expect(readdirSync(folder)).toEqual([]);
  });

  test('creates a new repository, whose marker has to stay from then on', async () => {
    const folder = newFolder();
    rmSync(join(folder, 'holdfast.json'));
    const storage = await open(folder, true);
    expect(await tryStorage(storage)).toEqual({ refusesExisting: true, deletes: true });
    expect(await storage.put('holdfast.json', bytes(MARKER))).toBe('created');
    expect(await storage.put('keys/a', bytes('a'))).toBe('created');
    rmSync(join(folder, 'holdfast.json'));
    await expectMissing(storage);
  });

  test('lets only the owner read', async () => {
    const folder = newFolder();
    await (await open(folder)).put('packs/aa/pack', bytes('pack'));
    const modes = ['packs', 'packs/aa', 'packs/aa/pack'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
    expect(readdirSync(join(folder, 'packs/aa'))).toEqual(['pack']);
  });

  test('writes nothing where the folder was when it is gone or another one is there', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    await storage.put('keys/a', bytes('a'));
    renameSync(folder, `${folder}-away`);
    onTestFinished(placeIn(`${folder}-away`).close);
    await expectMissing(storage);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    await expectMissing(storage);
    writeFileSync(join(folder, 'holdfast.json'), 'of another repository');
    await expectMissing(storage);
    expect(readdirSync(folder)).toEqual(['holdfast.json']);
  });

  test.each([
    ['an empty folder', []],
    ['the same folders', ['packs/aa']],
  ])('leaves nothing in %s that takes the place of the folder during a put', async (_, folders) => {
    const folder = newFolder();
    const storage = await open(folder);
    await storage.put('packs/aa/one', bytes('one'));
    onTestFinished(placeIn(`${folder}-away`).close);
    // Read once the first check has passed.
    const parts = Object.defineProperty(bytes('two'), '0', {
      get: () => {
        renameSync(folder, `${folder}-away`);
        mkdirSync(folder);
        for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
        return Buffer.from('two');
      },
    });
    await expect(storage.put('packs/aa/two', parts)).rejects.toMatchObject(missing(folder));
    const left = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
    if (folders.length === 0) expect(left).toEqual([]);
  });

  test('continues when the same repository is there again under another inode', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    renameSync(folder, `${folder}-away`);
    onTestFinished(placeIn(`${folder}-away`).close);
    mkdirSync(folder);
    copyFileSync(join(`${folder}-away`, 'holdfast.json'), join(folder, 'holdfast.json'));
    expect(await storage.put('keys/a', bytes('a'))).toBe('created');
    expect(await storage.put('keys/b', bytes('b'))).toBe('created');
  });

  test('creates a folder anew that somebody removed', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    await storage.put('packs/aa/one', bytes('one'));
    rmSync(join(folder, 'packs'), { recursive: true });
    expect(await storage.put('packs/aa/two', bytes('two'))).toBe('created');
  });

  test('writes a file anew that another computer took for that of a killed process', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    await storage.put('packs/aa/other', bytes('other'));
    const removed: string[] = [];
    // The folder is looked at between writing and publishing.
    using _fs = replacedFsPromises(({ stat }) => ({
      stat: (async (...words: Parameters<typeof stat>) => {
        const unfinished = readdirSync(join(folder, 'packs/aa')).find((name) => name.startsWith('.tmp-'));
        if (unfinished !== undefined && removed.length === 0) {
          removed.push(unfinished);
          rmSync(join(folder, 'packs/aa', unfinished));
        }
        return await stat(...words);
      }) as typeof stat,
    }));
    expect(await storage.put('packs/aa/one', bytes('one'))).toBe('created');
    expect(removed).toHaveLength(1);
    expect(readFileSync(join(folder, 'packs/aa/one'), 'utf8')).toBe('one');
  });

  describe.runIf(process.platform === 'linux')('that was closed', () => {
    const names = Array.from({ length: 20 }, (_, number) => `packs/aa/${number}`);

    async function openWithReads(folder: string) {
      const storage = await open(folder);
      for (const name of names) await storage.put(name, bytes(name));
      const readAll = () => names.map((name) => storage.get(name, { offset: 0, length: 8 }));
      await Promise.all(readAll());
      expect(filesHeldIn(folder)).not.toEqual([]);
      return { storage, readAll };
    }

    test('holds no file when the system was busy', async () => {
      const folder = newFolder();
      const { storage } = await openWithReads(folder);
      // The calls of the system wait behind these.
      const busy = Array.from({ length: 16 }, () => pbkdf2Async('', '', 50_000, 32, 'sha256'));
      await storage[Symbol.asyncDispose]();
      expect(filesHeldIn(folder)).toEqual([]);
      await Promise.all(busy);
    });

    test('holds no file when reads were in flight', async () => {
      const folder = newFolder();
      const { storage, readAll } = await openWithReads(folder);
      const reads = readAll();
      await storage[Symbol.asyncDispose]();
      expect(filesHeldIn(folder)).toEqual([]);
      expect(await Promise.all(reads)).toHaveLength(names.length);
    });
  });

  test('moves whatever has a name, and replaces nothing', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    await storage.put('packs/one', bytes('one'));
    expect(await storage.move('packs/one', 'damaged/packs/one')).toBe('moved');
    expect(readFileSync(join(folder, 'damaged', 'packs', 'one'), 'utf8')).toBe('one');
    expect(await storage.move('packs/one', 'damaged/packs/two')).toBe('missing');
    await storage.put('packs/one', bytes('other'));
    expect(await storage.move('packs/one', 'damaged/packs/one')).toBe('exists');
    expect(await storage.get('packs/one')).toEqual(Buffer.from('other'));
    symlinkSync('nowhere', join(folder, 'packs', 'link'));
    expect(await storage.move('packs/link', 'damaged/packs/link')).toBe('moved');
    expect(await storage.move('damaged/packs/one', 'damaged/packs/link')).toBe('exists');
    mkdirSync(join(folder, 'packs', 'folder'));
    expect(await storage.move('packs/folder', 'damaged/packs/folder')).toBe('moved');
  });

  test('removes unfinished files that are older than a day, once it writes', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'keys'));
    for (const name of ['.tmp-old', '.tmp-new']) writeFileSync(join(folder, 'keys', name), 'x');
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(join(folder, 'keys/.tmp-old'), yesterday, yesterday);
    const storage = await open(folder);
    await listed(storage, '');
    expect(existsSync(join(folder, 'keys/.tmp-old'))).toBe(true);
    await storage.put('keys/a', bytes('a'));
    expect(readdirSync(join(folder, 'keys'))).toEqual(['.tmp-new', 'a']);
  });

  test.skipIf(process.platform === 'win32')('syncs the folder when the name is taken, too', async () => {
    const storage = await open(newFolder());
    await storage.put('packs/aa/1', [Buffer.from('one')]);
    const handle = await openFile(import.meta.filename);
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    expect(await storage.put('packs/aa/2', [Buffer.from('two')])).toBe('created');
    // The file and its folder.
    expect(sync).toHaveBeenCalledTimes(2);
    expect(await storage.put('packs/aa/1', [Buffer.from('another')])).toBe('exists');
    expect(sync).toHaveBeenCalledTimes(4);
  });

  test('shows no part of a file when the process is killed', async () => {
    const folder = newFolder();
    await expectCompleteAfterKill({ kind: 'folder', directory: folder }, {}, await open(folder));
  });

  test.skipIf(IS_ROOT)('says that a folder cannot be written to', async () => {
    const folder = newFolder();
    const storage = await open(folder);
    chmodSync(folder, 0o500);
    await expect(storage.put('keys/a', bytes('a'))).rejects.toMatchObject({
      code: 'destination_unwritable',
      details: { directory: folder, problem: 'EACCES' },
    });
    chmodSync(folder, 0o700);
  });
});

describe.skipIf(!IS_ROOT)('folder storage on a disk of its own (as root)', () => {
  function newDisk(): string {
    const parent = newFolder();
    const disk = join(parent, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    writeFileSync(join(disk, 'holdfast.json'), MARKER);
    return disk;
  }

  test('reports a full disk, and leaves no part of a file on it', async () => {
    const disk = newDisk();
    const storage = await open(disk);
    expect(await storage.put('packs/aa/fits', [Buffer.alloc(3_000_000)])).toBe('created');
    await expect(storage.put('packs/aa/large', [Buffer.alloc(3_000_000)])).rejects.toMatchObject({
      code: 'destination_full',
      details: { directory: disk, problem: 'ENOSPC' },
    });
    expect(readdirSync(join(disk, 'packs/aa'))).toEqual(['fits']);
    await storage.delete('packs/aa/fits');
    expect(await storage.put('packs/aa/large', [Buffer.alloc(3_000_000)])).toBe('created');
  });

  test('reads from a read-only disk, and says that it cannot write', async () => {
    const disk = newDisk();
    const writer = await open(disk);
    await writer.put('packs/aa/pack', bytes('0123456789'));
    await writer[Symbol.asyncDispose]();
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const storage = await open(disk);
    expect(await storage.get('packs/aa/pack')).toHaveLength(10);
    expect(await storage.get('packs/aa/pack', { offset: 2, length: 3 })).toHaveLength(3);
    expect(await listed(storage, '')).toHaveLength(2);
    const expected = { code: 'destination_unwritable', details: { directory: disk, problem: 'EROFS' } };
    await expect(storage.put('packs/aa/other', bytes('x'))).rejects.toMatchObject(expected);
    await expect(storage.delete('packs/aa/pack')).rejects.toMatchObject(expected);
  });

  test('writes nothing below the mount point of a disk that was unplugged', async () => {
    const disk = newDisk();
    const storage = await open(disk);
    await storage.put('packs/aa/pack', bytes('0123456789'));
    await storage.get('packs/aa/pack', { offset: 2, length: 3 });
    execFileSync('umount', ['-l', disk]);
    await expectMissing(storage);
    expect(readdirSync(disk)).toEqual([]);
  });

  test('says that files may not be deleted', async () => {
    const disk = newDisk();
    const storage = await open(disk);
    await storage.put('keys/a', bytes('a'));
    if (spawnSync('chattr', ['+i', join(disk, 'keys/a')]).status !== 0) {
      expect(spawnSync('mount', ['--bind', join(disk, 'keys'), join(disk, 'keys')]).status).toBe(0);
      onTestFinished(() => void spawnSync('umount', ['-l', join(disk, 'keys')]));
      execFileSync('mount', ['-o', 'remount,bind,ro', join(disk, 'keys')]);
      await expect(storage.delete('keys/a')).rejects.toMatchObject({ code: 'destination_unwritable' });
      return;
    }
    await expect(storage.delete('keys/a')).rejects.toMatchObject({ code: 'permission_denied' });
    execFileSync('chattr', ['-i', join(disk, 'keys/a')]);
  });
});

describe('a new file', () => {
  const failing = (code: string) => async (): Promise<never> => {
    throw Object.assign(new Error(code), { code });
  };
  const noLinks = failing('EPERM');

  test.each([
    ['links', FILE_CALLS],
    ['exclusive renames', { ...FILE_CALLS, link: noLinks }],
    ['neither', { ...FILE_CALLS, link: noLinks, tryRenameExclusiveSync: () => false }],
  ])('is created once on a file system with %s', async (_, calls) => {
    const folder = newFolder();
    const contents = ['one', 'two', 'three', 'four'];
    const files = await Promise.all(contents.map((text) => UnfinishedFile.write(folder, Buffer.from(text))));
    const outcomes = await Promise.all(files.map((file) => file.publish(join(folder, 'file'), calls)));
    expect(outcomes.toSorted()).toEqual(['created', 'exists', 'exists', 'exists']);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(contents[outcomes.indexOf('created')]);
    expect(readdirSync(folder).toSorted()).toEqual(['file', 'holdfast.json']);
    expect(statSync(join(folder, 'file')).nlink).toBe(1);
  });

  // EIO is the response of a mount by rclone.
  test.each(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK', 'EISDIR', 'EIO'])(
    'is created once where links fail with %s',
    async (code) => {
      const folder = newFolder();
      const calls = { ...FILE_CALLS, link: failing(code), tryRenameExclusiveSync: () => false };
      const first = await UnfinishedFile.write(folder, Buffer.from('first'));
      expect(await first.publish(join(folder, 'file'), calls)).toBe('created');
      const second = await UnfinishedFile.write(folder, Buffer.from('second'));
      expect(await second.publish(join(folder, 'file'), calls)).toBe('exists');
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('first');
    },
  );

  test('is created when the response to the link was lost', async () => {
    const folder = newFolder();
    const twice = async (from: PathLike, to: PathLike): Promise<void> => {
      await link(from, to);
      await link(from, to);
    };
    const file = await UnfinishedFile.write(folder, Buffer.from('mine'));
    expect(await file.publish(join(folder, 'file'), { ...FILE_CALLS, link: twice })).toBe('created');
    expect(statSync(join(folder, 'file')).nlink).toBe(1);
  });

  test('is not taken for one of its own that has another link', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), 'other');
    linkSync(join(folder, 'file'), join(folder, 'second'));
    const file = await UnfinishedFile.write(folder, Buffer.from('mine'));
    expect(await file.publish(join(folder, 'file'))).toBe('exists');
  });

  test.each(['', '\0'])(
    'replaces a claim of %j that a killed process left a while ago, without links and exclusive renames',
    async (claim) => {
      const folder = newFolder();
      const path = join(folder, 'file');
      const calls = { ...FILE_CALLS, link: noLinks, tryRenameExclusiveSync: () => false };
      writeFileSync(path, claim);
      const early = await UnfinishedFile.write(folder, Buffer.from('early'));
      expect(await early.publish(path, calls)).toBe('exists');
      const before = Date.now() / 1000 - 3_600;
      utimesSync(path, before, before);
      const late = await UnfinishedFile.write(folder, Buffer.from('late'));
      expect(await late.publish(path, calls)).toBe('created');
      expect(readFileSync(path, 'utf8')).toBe('late');
    },
  );

  // A mount by rclone without a cache stores an empty file only some time after it was closed, in the place of the renamed one.
  test('replaces a claim that is not empty, without links and exclusive renames', async () => {
    const folder = newFolder();
    const claims: string[] = [];
    const replace = async (from: PathLike, to: PathLike): Promise<void> => {
      claims.push(readFileSync(to, 'latin1'));
      await rename(from, to);
    };
    const file = await UnfinishedFile.write(folder, Buffer.from('mine'));
    const calls = { link: noLinks, rename: replace, tryRenameExclusiveSync: () => false };
    expect(await file.publish(join(folder, 'file'), calls)).toBe('created');
    expect(claims).toEqual(['\0']);
  });

  test('leaves nothing when it cannot be published', async () => {
    const folder = newFolder();
    const broken = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const file = await UnfinishedFile.write(folder, Buffer.from('mine'));
    const calls = { ...FILE_CALLS, link: failing('EIO'), tryRenameExclusiveSync: broken };
    await expect(file.publish(join(folder, 'file'), calls)).rejects.toThrow('EIO');
    expect(readdirSync(folder)).toEqual(['holdfast.json']);
  });

  describe.skipIf(spawnSync('strace', ['-V'], { stdio: 'ignore' }).status !== 0)('with its calls recorded', () => {
    test('is on disk before it has its name, and its name before it counts', () => {
      expect(callsOfPut(newFolder())).toEqual([
        'mkdir /packs',
        'fsync ',
        'mkdir /packs/aa',
        'fsync /packs',
        'write /packs/aa/TEMPORARY',
        'fsync /packs/aa/TEMPORARY',
        'link /packs/aa/TEMPORARY',
        'unlink /packs/aa/TEMPORARY',
        'fsync /packs/aa',
      ]);
    });

    test('does not count before folders are on disk that a killed process may have created', () => {
      const folder = newFolder();
      mkdirSync(join(folder, 'packs/aa'), { recursive: true });
      expect(callsOfPut(folder).slice(0, 4)).toEqual(['mkdir /packs', 'fsync ', 'mkdir /packs/aa', 'fsync /packs']);
    });
  });
});

/** The calls by which a new process puts a file into `packs/aa`. */
function callsOfPut(folder: string): readonly string[] {
  const log = join(folder, 'calls');
  const module = join(import.meta.dirname, '../../../src/storage/folder/folder-storage.ts');
  const script = `
    import { FolderStorage } from ${JSON.stringify(module)};
    const storage = await FolderStorage.open(${JSON.stringify(folder)});
    await storage.put('packs/aa/pack', [Buffer.alloc(5000)]);
    process.kill(process.pid, 'SIGKILL');`;
  const words = ['-f', '-y', '-s', '0', '-e', 'trace=mkdir,write,fsync,link,rename,unlink', '-o', log];
  spawnSync('strace', [...words, process.execPath, '--input-type=module', '-e', script], { stdio: 'inherit' });
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => line.replaceAll(folder, '').replaceAll(/\.tmp-\w+/g, 'TEMPORARY'))
    .map((line) => /^\d+\s+(\w+)\((?:\d+<([^>]*)>|"([^"]*)")/.exec(line))
    .map((match) => `${match?.[1]} ${match?.[2] ?? match?.[3]}`);
}
