import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { identityOf } from '../../../../src/os/filesystem/file-identity.ts';
import { FolderWalk } from '../../../../src/os/filesystem/folder-walk.ts';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import type { RestoreBase } from '../../../../src/restore/plan/target-names.ts';
import { asideNameOf, MovedAside } from '../../../../src/restore/write/moved-aside.ts';
import { resolveOriginalPlaces, resolveTarget } from '../../../../src/restore/write/target.ts';
import { throwIfChanged } from '../../../../src/restore/write/write-files.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { replacedFs, systemError } from '../../../helpers/replaced-fs.ts';

const TIME = Date.parse('2026-11-21T14:05:33Z');
const NAME = asideNameOf(TIME);
const BASE: RestoreBase = { path: '/docs', name: 'docs' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-aside-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'a'), 'old');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(bases: readonly RestoreBase[] = [BASE], resumed = false): MovedAside {
  const restore = { startedAt: TIME, resumed, partialPrefix: '.holdfast-partial-0123456789abcdef-' };
  return new MovedAside(resolveTarget(folder, []), bases, new FolderWalk(Folder.open(folder)), restore);
}

function fail(code: string): never {
  throw systemError(code);
}

describe('what a restore replaces', () => {
  test('has a second name until the first is taken', () => {
    using aside = open();
    expect(aside.folders).toEqual([]);
    aside.keep(1, ['docs'], 'a');
    aside.replaced(1);
    aside.undoUnfinished();
    expect(statSync(join(folder, NAME, 'docs', 'a')).ino).toBe(statSync(join(folder, 'docs', 'a')).ino);
    expect(aside.folders).toEqual([join(folder, NAME)]);
  });

  test('takes the log of another version along, which comes back if the database is not written', () => {
    writeFileSync(join(folder, 'docs/a-wal'), 'log');
    writeFileSync(join(folder, 'docs/a-journal'), 'journal');
    using aside = open();
    for (const suffix of ['-wal', '-journal', '-shm']) aside.moveCompanion(1, ['docs', `a${suffix}`]);
    expect(readdirSync(join(folder, 'docs'))).toEqual(['a']);
    expect(readdirSync(join(folder, NAME, 'docs')).sort()).toEqual(['a-journal', 'a-wal']);
    expect(aside.folders).toEqual([join(folder, NAME)]);
    // What a program has made meanwhile is not replaced.
    writeFileSync(join(folder, 'docs/a-journal'), 'newer');
    aside.undoUnfinished();
    expect(readFileSync(join(folder, 'docs/a-wal'), 'utf8')).toBe('log');
    expect(readFileSync(join(folder, 'docs/a-journal'), 'utf8')).toBe('newer');
    expect(readFileSync(join(folder, NAME, 'docs/a-journal'), 'utf8')).toBe('journal');
  });

  test('takes the log of a database along that alone is restored', () => {
    writeFileSync(join(folder, 'docs/a-wal'), 'log');
    using aside = open([{ path: '/docs/a', folder: ['docs'], name: 'a' }]);
    aside.moveCompanion(1, ['docs', 'a-wal']);
    aside.replaced(1);
    aside.undoUnfinished();
    expect(readdirSync(join(folder, 'docs')).sort()).toEqual([NAME, 'a']);
    expect(readdirSync(join(folder, 'docs', NAME))).toContain('a-wal');
  });

  test('is in a folder that the next backup leaves out', () => {
    using aside = open();
    aside.keep(1, ['docs'], 'a');
    aside.replaced(1);
    const exclusion = new Exclusion([], [], []);
    expect(exclusion.excludes(exclusion.rootScope(folder), join(folder, NAME), true)).toMatchObject({
      source: 'holdfast',
    });
    expect(readdirSync(join(folder, NAME, 'docs'))).toEqual(['a']);
  });

  test('leaves no empty folder if it cannot be moved', () => {
    using aside = open([{ path: '/', name: '' }]);
    mkdirSync(join(folder, NAME));
    // A folder cannot be moved into itself.
    expect(() => aside.move([NAME])).toThrow('EINVAL');
    expect(existsSync(join(folder, NAME))).toBe(false);
  });

  test('loses the second name if the first was not taken', () => {
    using aside = open();
    aside.keep(1, ['docs'], 'a');
    aside.undoUnfinished();
    expect(readFileSync(join(folder, 'docs', 'a'), 'utf8')).toBe('old');
    expect(existsSync(join(folder, NAME))).toBe(false);
  });

  test('is moved back if it is a folder whose name was not taken', () => {
    using aside = open();
    aside.keep(1, [], 'docs');
    expect(existsSync(join(folder, 'docs'))).toBe(false);
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    aside.undoUnfinished();
    expect(readFileSync(join(folder, 'docs', 'a'), 'utf8')).toBe('old');
  });

  test('gets another name beside a version of an interrupted run', () => {
    using first = open();
    first.keep(1, ['docs'], 'a');
    first.replaced(1);
    rmSync(join(folder, 'docs', 'a'));
    writeFileSync(join(folder, 'docs', 'a'), 'other');
    using second = open();
    second.keep(1, ['docs'], 'a');
    second.replaced(1);
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    expect(readFileSync(join(folder, NAME, 'docs', 'a 2'), 'utf8')).toBe('other');
  });

  test('is kept once if an interrupted run has kept it already', () => {
    using first = open();
    first.keep(1, ['docs'], 'a');
    expect(open().folders).toEqual([]);
    using second = open([BASE], true);
    second.keep(1, ['docs'], 'a');
    second.undoUnfinished();
    expect(second.folders).toEqual([join(folder, NAME)]);
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    expect(existsSync(join(folder, NAME, 'docs', 'a 2'))).toBe(false);
  });

  test('keeps its second name if an application has saved the file anew meanwhile', () => {
    using aside = open();
    const kept = aside.keep(1, ['docs'], 'a');
    writeFileSync(join(folder, 'docs', 'saved'), 'new');
    renameSync(join(folder, 'docs', 'saved'), join(folder, 'docs', 'a'));
    expect(kept).not.toBe(identityOf(statSync(join(folder, 'docs', 'a'))));
    aside.undoUnfinished();
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    expect(readFileSync(join(folder, 'docs', 'a'), 'utf8')).toBe('new');
  });

  test('gets a second name from each of two restores', () => {
    using first = open();
    first.keep(1, ['docs'], 'a');
    using second = open();
    second.keep(1, ['docs'], 'a');
    second.replaced(1);
    writeFileSync(join(folder, 'restored'), 'restored');
    renameSync(join(folder, 'restored'), join(folder, 'docs', 'a'));
    first.undoUnfinished();
    expect(readFileSync(join(folder, NAME, 'docs', 'a 2'), 'utf8')).toBe('old');
  });

  test('is nothing if it is gone', () => {
    using aside = open();
    rmSync(join(folder, 'docs', 'a'));
    expect(aside.keep(1, ['docs'], 'a')).toBeUndefined();
    expect(aside.folders).toEqual([]);
  });

  test('is inside the base if that is the root of a file system', () => {
    using aside = open([{ path: '', name: '' }]);
    aside.keep(1, ['docs'], 'a');
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
  });
});

describe('what a restore replaces on a file system without hard links', () => {
  const noLinks = (): Disposable => replacedFs(() => ({ linkSync: () => fail('EPERM') }));

  test('is copied with its attributes', () => {
    chmodSync(join(folder, 'docs', 'a'), 0o440);
    utimesSync(join(folder, 'docs', 'a'), 1_600_000_000, 1_600_000_000);
    if (process.getuid?.() === 0) chownSync(join(folder, 'docs', 'a'), 65_534, 65_533);
    const { mode, mtimeMs, uid, gid } = statSync(join(folder, 'docs', 'a'));
    using _fs = noLinks();
    using aside = open();
    aside.keep(1, ['docs'], 'a');
    expect(statSync(join(folder, NAME, 'docs', 'a'))).toMatchObject({ mode, mtimeMs, uid, gid, nlink: 1 });
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    expect(readdirSync(join(folder, NAME, 'docs'))).toEqual(['a']);
  });

  test('counts as changed when an application writes to it, even if size and time stay the same', () => {
    const path = join(folder, 'docs', 'a');
    using _fs = noLinks();
    using aside = open();
    const kept = aside.keep(1, ['docs'], 'a')!;
    expect(() => throwIfChanged(path, kept)).not.toThrow();
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'new');
    utimesSync(path, atime, mtime);
    expect(() => throwIfChanged(path, kept)).toThrow(expect.objectContaining({ code: 'EBUSY' }));
    aside.undoUnfinished();
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('is not kept if it changes while it is copied', () => {
    using _fs = replacedFs(({ copyFileSync }) => ({
      linkSync: () => fail('EPERM'),
      copyFileSync: (from, to, mode) => {
        copyFileSync(from, to, mode);
        writeFileSync(join(folder, 'docs', 'a'), 'longer');
      },
    }));
    using aside = open();
    expect(() => aside.keep(1, ['docs'], 'a')).toThrow(expect.objectContaining({ code: 'EBUSY' }));
    expect(readdirSync(join(folder, NAME, 'docs'))).toEqual([]);
  });

  test('loses its copy if it was not replaced', () => {
    using _fs = noLinks();
    using aside = open();
    aside.keep(1, ['docs'], 'a');
    aside.undoUnfinished();
    expect(existsSync(join(folder, NAME))).toBe(false);
    expect(readFileSync(join(folder, 'docs', 'a'), 'utf8')).toBe('old');
  });

  test('keeps its copy if it is a link that was made anew meanwhile', () => {
    symlinkSync('old', join(folder, 'docs', 'link'));
    using aside = open();
    aside.keep(1, ['docs'], 'link');
    rmSync(join(folder, 'docs', 'link'));
    symlinkSync('new', join(folder, 'docs', 'link'));
    aside.undoUnfinished();
    expect(readlinkSync(join(folder, NAME, 'docs', 'link'))).toBe('old');
  });

  test.runIf(process.platform === 'linux')(
    'is on disk, with the names that lead to it, before anything replaces it',
    () => {
      const synced: string[] = [];
      using _fs = replacedFs(({ fsyncSync }) => ({
        linkSync: () => fail('EPERM'),
        fsyncSync: (file) => {
          synced.push(readlinkSync(`/proc/self/fd/${file}`).slice(folder.length));
          fsyncSync(file);
        },
      }));
      using aside = open();
      aside.keep(1, ['docs'], 'a');
      const partial = `/${NAME}/docs/.holdfast-partial-0123456789abcdef-1`;
      expect(synced).toEqual([partial, `/${NAME}/docs`, `/${NAME}`, '']);
      writeFileSync(join(folder, 'docs', 'b'), 'b');
      synced.length = 0;
      aside.keep(2, ['docs'], 'b');
      expect(synced).toEqual([partial.replace(/1$/, '2'), `/${NAME}/docs`]);
    },
  );

  test('gets its name when it is complete, also after an interruption', () => {
    mkdirSync(join(folder, NAME, 'docs'), { recursive: true });
    writeFileSync(join(folder, NAME, 'docs', '.holdfast-partial-0123456789abcdef-1'), 'o');
    using _fs = noLinks();
    using aside = open([BASE], true);
    aside.keep(1, ['docs'], 'a');
    expect(readdirSync(join(folder, NAME, 'docs'))).toEqual(['a']);
    expect(readFileSync(join(folder, NAME, 'docs', 'a'), 'utf8')).toBe('old');
  });
});

describe('original places', () => {
  test('are below the deepest common folder', () => {
    mkdirSync(join(folder, 'x', 'y'), { recursive: true });
    const { target, bases } = resolveOriginalPlaces([
      { path: join(folder, 'docs'), name: 'docs' },
      { path: join(folder, 'x', 'y', 'gone', 'z'), name: 'z' },
    ]);
    expect(target.path).toBe(folder);
    expect(target.places.map(({ path }) => path)).toEqual([join(folder, 'docs'), join(folder, 'x', 'y', 'gone')]);
    expect(bases).toEqual([
      { path: join(folder, 'docs'), folder: [], name: 'docs' },
      { path: join(folder, 'x', 'y', 'gone', 'z'), folder: ['x', 'y', 'gone'], name: 'z' },
    ]);
  });

  test.each([
    ['C:/Users/anna', 'EINVAL'],
    ['relative', 'EINVAL'],
  ])('%s is refused with %s', (path, reason) => {
    expect(() => resolveOriginalPlaces([{ path, name: 'x' }])).toThrow(
      expect.objectContaining({ code: 'target_unwritable', details: { target: path, reason } }),
    );
  });

  test('a link in the place of a base is not followed', () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
    const { target } = resolveOriginalPlaces([{ path: join(folder, 'link'), name: 'link' }]);
    expect(target.places.map(({ path }) => path)).toEqual([folder]);
  });

  test.each([
    ['a folder in a source', 'src', false],
    ['a folder above a source', 'src/link/inner', true],
    ['a source', 'src/link', true],
  ])('a link in the place of %s is followed: %s, %s', (_, source, isFollowed) => {
    mkdirSync(join(folder, 'elsewhere', 'inner', 'deep'), { recursive: true });
    mkdirSync(join(folder, 'src'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'src', 'link'));
    const base = { path: join(folder, 'src', 'link', 'inner', 'deep', 'file'), name: 'file' };
    const resolve = () => resolveOriginalPlaces([base], [], [join(folder, source)]);
    if (isFollowed) expect(resolve().target.path).toBe(join(folder, 'elsewhere', 'inner', 'deep'));
    else {
      const details = { target: join(folder, 'src', 'link'), reason: 'ELOOP' };
      expect(resolve).toThrow(expect.objectContaining({ code: 'target_unwritable', details }));
    }
  });

  test('a file in the place of a folder above is refused', () => {
    const path = join(folder, 'docs', 'a', 'below');
    expect(() => resolveOriginalPlaces([{ path, name: 'below' }])).toThrow(
      expect.objectContaining({ code: 'target_unwritable' }),
    );
  });
});
