import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import type { BackupOutcome } from '../../../../../src/archive/backup/types.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { differences } from '../../../../helpers/differences.ts';
import { bindFolder, CAN_MOUNT, isMounted, mountDisk, unmount, unmountAll } from '../../../../helpers/mount.ts';
import { replacedFs, systemError } from '../../../../helpers/replaced-fs.ts';
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

type Options = Parameters<Computer['backUp']>[1];

const at = (...names: readonly string[]): string => join(computer.source, ...names);
const codeOf = ({ error }: BackupOutcome): string | undefined => (isHoldfastError(error) ? error.code : undefined);

/** Backs up, and returns the reasons of the warnings by path. */
async function backUp(options: Options = {}, place = home): Promise<Readonly<Record<string, string>>> {
  return await computer.warningsAt(place, options);
}

/** Makes a disk with files in the source. */
function disk(...names: readonly string[]): string {
  const folder = at(...names);
  mkdirSync(folder, { recursive: true });
  mountDisk(folder);
  fill(join(...names), 'disk');
  return folder;
}

function fill(folder: string, content: string): void {
  for (const name of ['one', 'photos/two', 'photos/deep/three'])
    computer.write(join(folder, name), `${content} ${name}`);
}

/** Backs up three times: each restore point has everything of a copy, and each run names the same. */
async function expectKept(copy: string, named: Readonly<Record<string, string>>, options: Options = {}): Promise<void> {
  for (let run = 1; run <= 3; run += 1) {
    computer.write('letter.txt', `text of run ${run}`, 5000 + run);
    expect(await backUp(options)).toEqual(named);
    writeFileSync(join(copy, 'letter.txt'), `text of run ${run}`);
    await computer.expectRestored(home, copy);
  }
}

describe.skipIf(!CAN_MOUNT)('a disk in a source', () => {
  test('that is not mounted keeps its last version, however often it is missed', async () => {
    const nas = disk('nas');
    expect(await backUp()).toEqual({});
    const copy = computer.copyOfSource();
    unmount(nas);
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
  });

  test('is backed up again when it is back, with what was deleted on it', async () => {
    const nas = disk('nas');
    const other = join(computer.folder, 'elsewhere');
    mkdirSync(other);
    await backUp();
    execFileSync('mount', ['--bind', nas, other]);
    unmount(nas);
    expect(await backUp()).toEqual({ [nas]: 'folder-not-mounted' });
    rmSync(join(other, 'photos'), { recursive: true });
    bindFolder(other, nas);
    expect(await backUp()).toEqual({});
    await computer.expectRestored(home);
  });

  test.each([
    ['folders of the same names', ['photos/deep/']],
    ['a folder and a file of the same names', ['photos/deep/', 'one']],
    ['other content', ['NOT MOUNTED', 'lost+found/']],
    ['what a program has written meanwhile', ['photos/deep/four', 'five']],
  ])('keeps its last version where its folder has %s', async (_name, below) => {
    for (const name of below) {
      if (name.endsWith('/')) mkdirSync(at('nas', name), { recursive: true });
      else computer.write(join('nas', name), 'below');
    }
    const nas = disk('nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
  });

  test('keeps its last version when its folder is gone as well, and the folders above', async () => {
    const nas = disk('media/nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    rmSync(nas, { recursive: true });
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
    computer.write('media/beside', 'text');
    expect(await backUp()).toEqual({ [nas]: 'folder-not-mounted' });
    rmSync(at('media'), { recursive: true });
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
  });

  test('keeps its last version when a file or a link has the place of its folder', async () => {
    const [one, two] = [disk('one disk'), disk('two disk')];
    await backUp();
    const copy = computer.copyOfSource();
    for (const folder of [one, two]) {
      unmount(folder);
      rmSync(folder, { recursive: true });
    }
    writeFileSync(one, 'file');
    symlinkSync('/tmp', two);
    await expectKept(copy, { [one]: 'folder-not-mounted', [two]: 'folder-not-mounted' });
  });

  test('keeps its last version beside another one that is there, and one inside of it', async () => {
    const [outer, other] = [disk('outer'), disk('other')];
    const inner = disk('outer', 'photos', 'inner');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(inner);
    await expectKept(copy, { [inner]: 'folder-not-mounted' });
    unmount(outer);
    await expectKept(copy, { [outer]: 'folder-not-mounted' });
    unmount(other);
    await expectKept(copy, { [outer]: 'folder-not-mounted', [other]: 'folder-not-mounted' });
  });

  test('that has the same files as the folder on which it was is taken for moved there', async () => {
    const nas = disk('nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    cpSync(join(copy, 'nas'), nas, { recursive: true });
    computer.write('nas/new', 'text');
    expect(await backUp()).toEqual({});
    await computer.expectRestored(home);
    rmSync(join(nas, 'photos'), { recursive: true });
    expect(await backUp()).toEqual({});
    await computer.expectRestored(home);
  });

  test.each([
    ['an empty disk', (): void => undefined],
    ['a disk with other files', (): void => void computer.write('nas/other', 'another disk')],
  ])('keeps its last version beside what is on %s in its place', async (_name, write) => {
    const nas = disk('nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    mountDisk(nas);
    write();
    cpSync(nas, join(copy, 'nas'), { recursive: true });
    await expectKept(copy, { [nas]: 'folder-other-disk' });
  });

  describe('with the same names as the one before in its place', () => {
    const NAMES = ['one', 'photos/two', 'photos/deep/three'];

    /** Puts another disk there, whose files have the same names, sizes and times. */
    function otherDisk(nas: string): void {
      unmount(nas);
      mountDisk(nas);
      fill('nas', 'ksid');
    }

    test.each([false, true])(
      'keeps its last version, until a person accepts the other one (source: %s)',
      async (isSource) => {
        const nas = disk('nas');
        computer.write('docs/a', 'text');
        const roots = isSource ? [nas, at('docs')] : undefined;
        const options = roots ? { roots } : {};
        await backUp(options);
        const copy = computer.copyOfSource();
        otherDisk(nas);
        computer.write('nas/new', 'only on the other disk');
        writeFileSync(join(copy, 'nas/new'), 'only on the other disk');
        for (let run = 1; run <= 3; run += 1) {
          expect(await backUp(options)).toEqual({ [nas]: 'folder-other-disk' });
          const restored = await computer.expectRestorable(home);
          expect(differences(join(restored, isSource ? 'nas' : 'source/nas'), join(copy, 'nas'))).toBe('');
        }
        expect(await backUp({ ...options, accepted: [nas] })).toEqual({});
        const restored = await computer.expectRestorable(home);
        expect(differences(join(restored, isSource ? 'nas' : 'source/nas'), nas)).toBe('');
        expect(await backUp(options)).toEqual({});
      },
    );

    test('keeps its last version when it was moved between the two, and is backed up when it is back', async () => {
      const nas = disk('nas');
      const other = join(computer.folder, 'elsewhere');
      mkdirSync(other);
      execFileSync('mount', ['--bind', nas, other]);
      await backUp();
      const copy = computer.copyOfSource();
      otherDisk(nas);
      await expectKept(copy, { [nas]: 'folder-other-disk' });
      unmount(nas);
      bindFolder(other, nas);
      computer.write('nas/one', 'changed on the first disk', 9000);
      expect(await backUp()).toEqual({});
      await computer.expectRestored(home);
    });

    test('is taken for a copy if it has the same files, and what was changed on it is backed up', async () => {
      const nas = disk('nas');
      await backUp();
      const copy = computer.copyOfSource();
      unmount(nas);
      mountDisk(nas);
      for (const name of NAMES) computer.write(join('nas', name), readFileSync(join(copy, 'nas', name)), 7000);
      computer.write('nas/photos/two', 'changed on the copy', 8000);
      expect(await backUp()).toEqual({});
      await computer.expectRestored(home);
    });

    test('keeps what is in a folder on which it is mounted now', async () => {
      fill('nas', 'disk');
      await backUp();
      const copy = computer.copyOfSource();
      mountDisk(at('nas'));
      fill('nas', 'ksid');
      await expectKept(copy, { [at('nas')]: 'folder-other-disk' });
      expect(await backUp({ accepted: [at('nas')] })).toEqual({});
      await computer.expectRestored(home);
    });

    test('keeps a single file that is the source', async () => {
      const nas = disk('nas');
      const roots = [join(nas, 'one')];
      await backUp({ roots });
      otherDisk(nas);
      for (let run = 1; run <= 2; run += 1) {
        expect(await backUp({ roots })).toEqual({ [roots[0]!]: 'folder-other-disk' });
        expect(readFileSync(join(await computer.expectRestorable(home), 'one'), 'utf8')).toBe('disk one');
      }
      expect(await backUp({ roots, accepted: roots })).toEqual({});
      expect(readFileSync(join(await computer.expectRestorable(home), 'one'), 'utf8')).toBe('ksid one');
    });

    test('keeps its last version at a destination that is behind, and names what a new one cannot have', async () => {
      const [behind, late] = [new Place('behind'), new Place('late')];
      const nas = disk('nas');
      await computer.backUp([home, behind]);
      const copy = computer.copyOfSource();
      otherDisk(nas);
      const outcomes = await computer.backUp([home, behind, late]);
      const reasons = outcomes.flatMap(({ report }) => report!.warnings.map(({ reason }) => reason));
      expect(reasons).toEqual(['folder-other-disk', 'folder-other-disk', 'not-stored']);
      await computer.expectRestored(home, copy);
      await computer.expectRestored(behind, copy);
    });

    test('keeps where a link leads', async () => {
      const nas = disk('nas');
      symlinkSync('one', join(nas, 'link'));
      await backUp();
      const copy = computer.copyOfSource();
      otherDisk(nas);
      symlinkSync('photos', join(nas, 'link'));
      await expectKept(copy, { [nas]: 'folder-other-disk' });
    });
  });

  test('hides what is in its folder, which keeps its last version', async () => {
    fill('data', 'folder');
    await backUp();
    const copy = computer.copyOfSource();
    mountDisk(at('data'));
    computer.write('data/new', 'on the disk');
    writeFileSync(join(copy, 'data/new'), 'on the disk');
    await expectKept(copy, { [at('data')]: 'folder-other-disk' });
    unmount(at('data'));
    await expectKept(copy, { [at('data')]: 'folder-not-mounted' });
  });

  test('has deletions recorded once it was mounted, on a system with other disks and before any backup of its own', async () => {
    mkdirSync(at('nas'));
    await backUp();
    disk('nas');
    expect(await backUp()).toEqual({});
    rmSync(at('nas/photos'), { recursive: true });
    expect(await backUp()).toEqual({});
    await computer.expectRestored(home);
  });

  test('can be a folder of the same file system', async () => {
    const from = join(computer.folder, 'bound');
    computer.write('../bound/photos/two', 'text');
    mkdirSync(at('nas/photos'), { recursive: true });
    bindFolder(from, at('nas'));
    await backUp();
    const copy = computer.copyOfSource();
    unmount(at('nas'));
    await expectKept(copy, { [at('nas')]: 'folder-not-mounted' });
  });

  test('can be a single file, which keeps its last version without its disk, and without what is below it', async () => {
    computer.write('../disk/real', 'on the disk');
    computer.write('docs/secret.db', '');
    computer.write('docs/other.db', '');
    const files = [at('docs/secret.db'), at('docs/other.db')] as const;
    for (const file of files) bindFolder(join(computer.folder, 'disk/real'), file);
    await backUp();
    const copy = computer.copyOfSource();
    for (const file of files) unmount(file);
    rmSync(files[1]);
    await expectKept(copy, { [files[0]]: 'folder-not-mounted', [files[1]]: 'folder-not-mounted' });
    computer.write('../disk/real', 'newer on the disk');
    bindFolder(join(computer.folder, 'disk/real'), files[0]);
    computer.write('docs/other.db', 'no longer mounted');
    expect(await backUp({ accepted: [files[1]] })).toEqual({});
    await computer.expectRestored(home);
  });

  test('can be a single file that is the source, which is missed by each run', async () => {
    computer.write('../disk/real', 'on the disk');
    const file = at('letter.txt');
    bindFolder(join(computer.folder, 'disk/real'), file);
    await backUp({ roots: [file] });
    unmount(file);
    for (let run = 1; run <= 2; run += 1) {
      expect((await computer.backUp([home], { roots: [file] })).map(codeOf)).toEqual(['source_not_mounted']);
    }
  });

  test('leaves the restore point when a person accepts that it is gone, alone', async () => {
    const [one, two] = [disk('one disk'), disk('two disk')];
    await backUp();
    const copy = computer.copyOfSource();
    for (const folder of [one, two]) unmount(folder);
    rmSync(join(copy, 'one disk'), { recursive: true });
    mkdirSync(join(copy, 'one disk'));
    expect(await backUp({ accepted: [one] })).toEqual({ [two]: 'folder-not-mounted' });
    await expectKept(copy, { [two]: 'folder-not-mounted' });
    expect(await backUp({ allowEmpty: true })).toEqual({});
    await computer.expectRestored(home);
  });

  test('leaves the restore point when a rule leaves it out, also without its folder', async () => {
    const nas = disk('nas');
    await backUp();
    unmount(nas);
    expect(await backUp()).toEqual({ [nas]: 'folder-not-mounted' });
    rmSync(nas, { recursive: true });
    expect(await backUp({ excludes: ['/nas/'] })).toEqual({});
    await computer.expectRestored(home);
  });

  test('leaves the restore point when other file systems are left out', async () => {
    const nas = disk('nas');
    await backUp();
    unmount(nas);
    rmSync(nas, { recursive: true });
    expect(await backUp({ oneFileSystem: true })).toEqual({});
    await computer.expectRestored(home);
  });

  test('hides its folder without deleting it when other file systems are left out', async () => {
    fill('data', 'folder');
    await backUp({ oneFileSystem: true });
    const copy = computer.copyOfSource();
    mountDisk(at('data'));
    await expectKept(copy, {}, { oneFileSystem: true });
    const [outcome] = await computer.backUp([home], { oneFileSystem: true });
    expect(outcome!.report!.notes).toEqual([{ path: at('data'), reason: 'other-file-system' }]);
  });

  test('is missed without a warning if the set allows that, and kept all the same', async () => {
    const nas = disk('nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    await expectKept(copy, {}, { optionalRoots: [nas] });
  });

  test('keeps its last version in a set that reads everything again, with private names', async () => {
    const nas = disk('nas');
    await backUp({ privateNames: true });
    const copy = computer.copyOfSource();
    unmount(nas);
    await expectKept(copy, { [nas]: 'folder-not-mounted' }, { rehash: true, privateNames: true });
  });

  test('keeps its last version after runs that failed or were killed at any step', async () => {
    const nas = disk('nas');
    await backUp();
    const copy = computer.copyOfSource();
    unmount(nas);
    for (const step of ['open', 'init', 'late', 'complete'] as const) {
      computer.write('letter.txt', `before ${step}`, 6000);
      home.hooks[step] = () => {
        throw new Error('the destination is gone');
      };
      expect((await computer.backUp([home]))[0]!.error).toBeDefined();
      delete home.hooks[step];
      computer.kill().close();
    }
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
  });

  test('keeps its last version at each destination, as far as that has one', async () => {
    const away = new Place('away');
    const late = new Place('late');
    const nas = disk('nas');
    await computer.backUp([home, away]);
    const copy = computer.copyOfSource();
    computer.write('nas/one', 'newer', 9000);
    const newer = computer.copyOfSource();
    await computer.backUp([home]);
    unmount(nas);
    away.hooks.complete = () => {
      throw new Error('the destination is gone');
    };
    expect((await computer.backUp([home, away])).map(({ report }) => report !== undefined)).toEqual([true, false]);
    delete away.hooks.complete;
    const outcomes = await computer.backUp([home, away, late]);
    const reasons = outcomes.flatMap(({ report }) => report!.warnings.map(({ reason }) => reason));
    expect(reasons).toEqual(['folder-not-mounted', 'folder-not-mounted', 'not-stored']);
    await computer.expectRestored(home, newer);
    await computer.expectRestored(away, copy);
  });

  test('as the source itself is missed by each run, and beside another source keeps its last version', async () => {
    const nas = disk('nas');
    const docs = at('docs');
    computer.write('docs/a', 'text');
    const roots = [nas, docs];
    await backUp({ roots });
    const copy = computer.copyOfSource();
    unmount(nas);
    for (let run = 1; run <= 3; run += 1) {
      expect((await computer.backUp([home], { roots: [nas] })).map(codeOf)).toEqual(['source_not_mounted']);
      expect(await backUp({ roots })).toEqual({ [nas]: 'folder-not-mounted' });
      const restored = await computer.expectRestorable(home);
      expect(differences(join(restored, 'nas'), join(copy, 'nas'))).toBe('');
    }
    mountDisk(nas);
    expect(await backUp({ roots })).toEqual({ [nas]: 'folder-empty' });
    computer.write('nas/other', 'another disk');
    expect(await backUp({ roots })).toEqual({ [nas]: 'folder-other-disk' });
    writeFileSync(join(copy, 'nas/other'), 'another disk');
    expect(differences(join(await computer.expectRestorable(home), 'nas'), join(copy, 'nas'))).toBe('');
  });

  test.each([
    ['its lost+found', (nas: string): void => mkdirSync(join(nas, 'lost+found'))],
    ['nothing', (): void => undefined],
    ['the folders that had them', (nas: string): void => void mkdirSync(join(nas, 'photos/deep'), { recursive: true })],
  ])('that has lost its files keeps its last version, also as a source, where it has %s', async (_name, leave) => {
    const nas = disk('nas');
    const roots = [nas, at('docs')];
    computer.write('docs/a', 'text');
    await backUp();
    const copy = computer.copyOfSource();
    for (const name of readdirSync(nas)) rmSync(join(nas, name), { recursive: true });
    leave(nas);
    await expectKept(copy, { [nas]: 'folder-empty' });
    const [late] = await computer.backUp([new Place('late')]);
    expect(late!.report!.warnings).toEqual([{ path: nas, reason: 'not-stored' }]);
    expect(await backUp({ optionalRoots: [nas] })).toEqual({});
    await computer.expectRestored(home, copy);
    expect(await backUp({ accepted: [nas] })).toEqual({});
    await computer.expectRestored(home);
    expect(await backUp()).toEqual({});
    fill('nas', 'new');
    await backUp({ roots });
    const [restoredCopy] = [computer.copyOfSource()];
    for (const name of readdirSync(nas)) rmSync(join(nas, name), { recursive: true });
    leave(nas);
    for (let run = 1; run <= 2; run += 1) {
      expect(await backUp({ roots })).toEqual({ [nas]: 'folder-empty' });
      expect(differences(join(await computer.expectRestorable(home), 'nas'), join(restoredCopy, 'nas'))).toBe('');
    }
    expect(await backUp({ roots, accepted: [nas] })).toEqual({});
  });

  test('that has lost its files after another one was in its place keeps what it had', async () => {
    const nas = disk('nas');
    const other = join(computer.folder, 'elsewhere');
    mkdirSync(other);
    await backUp();
    execFileSync('mount', ['--bind', nas, other]);
    unmount(nas);
    mountDisk(nas);
    computer.write('nas/other', 'another disk');
    expect(await backUp()).toEqual({ [nas]: 'folder-other-disk' });
    const copy = computer.copyOfSource();
    execFileSync('cp', ['-a', `${other}/.`, join(copy, 'nas')]);
    unmount(nas);
    bindFolder(other, nas);
    expect(await backUp()).toEqual({});
    for (const name of readdirSync(nas)) rmSync(join(nas, name), { recursive: true });
    mkdirSync(join(nas, 'lost+found'));
    await expectKept(copy, { [nas]: 'folder-empty' });
  });

  test('that holds a source is missed by each run, too', async () => {
    const nas = disk('nas');
    mkdirSync(join(computer.folder, 'below'));
    const roots = [join(nas, 'photos'), at('docs')];
    computer.write('docs/a', 'text');
    await backUp({ roots });
    const copy = computer.copyOfSource();
    unmount(nas);
    computer.write('nas/photos/other', 'below the disk');
    for (let run = 1; run <= 3; run += 1) {
      expect(await backUp({ roots })).toEqual({ [roots[0]!]: 'folder-not-mounted' });
      const restored = await computer.expectRestorable(home);
      expect(differences(join(restored, 'photos'), join(copy, 'nas/photos'))).toBe('');
    }
  });
});

test('a folder of the same disk that is emptied is recorded as that', async () => {
  fill('photos', 'text');
  await backUp();
  rmSync(at('photos/photos'), { recursive: true });
  rmSync(at('photos/one'));
  expect(await backUp()).toEqual({});
  await computer.expectRestored(home);
});

describe('a folder that cannot be read', () => {
  test.each(['EACCES', 'EIO', 'ESTALE', 'ENOTCONN'])('keeps its last version (%s), however often', async (code) => {
    fill('locked', 'text');
    await backUp();
    const copy = computer.copyOfSource();
    using _fs = replacedFs(({ readdirSync }) => ({
      readdirSync: ((path: string, ...rest: []) => {
        if (path === at('locked/photos')) throw systemError(code);
        return readdirSync(path, ...rest);
      }) as typeof readdirSync,
    }));
    const [warned, ...others] = Object.entries(await backUp());
    expect([warned![0], others]).toEqual([at('locked/photos'), []]);
    await expectKept(copy, { [at('locked/photos')]: warned![1] });
  });
});

describe.skipIf(!CAN_MOUNT)('a disk that is unmounted during a run', () => {
  /** Unmounts when an entry is looked at. */
  const unmountingAt = (path: string, nas: string): Disposable =>
    replacedFs(({ lstatSync }) => ({
      lstatSync: ((looked: string, ...rest: []) => {
        const stat = lstatSync(looked, ...rest);
        if (looked === path && isMounted(nas)) unmount(nas);
        return stat;
      }) as typeof lstatSync,
    }));

  test.each([
    ['after its folder was found', ''],
    ['while its folder is compared', 'one'],
    ['before a folder in it is read', 'photos'],
    ['before its files are read', 'photos/deep/three'],
  ])('%s keeps what it had', async (_name, inside) => {
    const nas = disk('nas');
    mkdirSync(join(computer.folder, 'below'));
    await backUp();
    const copy = computer.copyOfSource();
    for (const name of ['one', 'photos/two', 'photos/deep/three']) computer.write(join('nas', name), 'newer', 8000);
    {
      using _fs = unmountingAt(join(nas, inside), nas);
      await backUp();
    }
    await computer.expectRestored(home, copy);
    await expectKept(copy, { [nas]: 'folder-not-mounted' });
  });
});
