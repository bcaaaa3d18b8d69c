import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isSafeName } from '../../../../src/os/filesystem/names/entry-name.ts';
import { segmentOfBytes } from '../../../../src/os/filesystem/names/entry-path.ts';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import { FolderWalk } from '../../../../src/os/filesystem/folder-walk.ts';
import { renameExclusiveSync } from '../../../../src/os/filesystem/rename.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns a path's inode without Holdfast's code. */
function inode(...names: string[]): bigint {
  return lstatSync(join(folder, ...names), { bigint: true }).ino;
}

function inodeOf(found: Folder): bigint {
  return lstatSync(found.self, { bigint: true }).ino;
}

function openHandles(): number {
  return readdirSync('/proc/self/fd').length;
}

describe('FolderWalk', () => {
  test('opens folders in any order, and closes all handles', () => {
    const names = ['a', 'b', 'c'];
    for (const x of names)
      for (const y of names) for (const z of names) mkdirSync(join(folder, x, y, z), { recursive: true });
    const before = openHandles();
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom(...names), { maxLength: 3 }), { maxLength: 30 }), (paths) => {
        using walk = new FolderWalk(Folder.open(folder));
        for (const path of paths) expect(inodeOf(walk.enter(path))).toBe(inode(...path));
      }),
    );
    expect(openHandles()).toBe(before);
  });

  test('goes deeper than the longest path with few handles, and returns', () => {
    const deep = Array.from({ length: 200 }, (_, index) => `${index} `.padEnd(100, 'x'));
    const before = openHandles();
    using walk = new FolderWalk(Folder.open(folder));
    for (let depth = 0; depth < deep.length; depth += 1) {
      const parent = walk.enter(deep.slice(0, depth));
      expect(parent.makeChild(deep[depth]!)).toBe(true);
      writeFileSync(parent.pathOf('file'), String(depth));
    }
    walk.enter(deep);
    expect(openHandles() - before).toBeLessThan(80);
    for (const depth of [150, 199, 3, 100, 0]) {
      expect(lstatSync(walk.enter(deep.slice(0, depth)).pathOf('file')).size).toBe(String(depth).length);
    }
  });

  test('does not follow links, even later ones', () => {
    mkdirSync(join(folder, 'real', 'inner'), { recursive: true });
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('elsewhere', join(folder, 'link'));
    writeFileSync(join(folder, 'file'), '');
    using walk = new FolderWalk(Folder.open(folder));
    for (const name of ['link', 'file']) {
      expect(() => walk.enter([name])).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    }
    expect(() => walk.enter(['none'])).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    const inner = walk.enter(['real', 'inner']);
    renameSync(join(folder, 'real'), join(folder, 'moved'));
    symlinkSync('elsewhere', join(folder, 'real'));
    writeFileSync(inner.pathOf('written'), '');
    expect(readdirSync(join(folder, 'moved', 'inner'))).toEqual(['written']);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('accepts names of any bytes', () => {
    const name = segmentOfBytes(Buffer.from([0xff, 0x41]));
    using walk = new FolderWalk(Folder.open(folder));
    expect(walk.enter([]).makeChild(name)).toBe(true);
    expect(walk.enter([]).makeChild(name)).toBe(false);
    walk.enter([name]).setMode(0o711);
    expect(readdirSync(folder, { encoding: 'buffer' })).toEqual([Buffer.from([0xff, 0x41])]);
    expect(lstatSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x41])])).mode & 0o777).toBe(0o711);
  });
});

describe('a name from a backup', () => {
  const escaped = (bytes: string | readonly number[]): string =>
    `\u{10FFFD}${Buffer.from(bytes as string, 'latin1').toString('base64url')}`;

  test.each([
    ['plain', true, true],
    ['  ', true, false],
    ['C:', true, false],
    ['back\\slash', true, false],
    ['con', true, false],
    ['NUL.txt', true, false],
    ['console', true, true],
    ['trailing.', true, false],
    ['line\nbreak', true, false],
    ['...', true, false],
    ['', false, false],
    ['.', false, false],
    ['..', false, false],
    ['a/b', false, false],
    ['a\0b', false, false],
    ['\u{10FFFD}', false, false],
    [escaped('..'), false, false],
    [escaped('../x'), false, false],
    [escaped('/etc'), false, false],
    [escaped('a\0'), false, false],
    [escaped('plain'), false, false],
    [`${escaped('\xff')}=`, false, false],
    [escaped('\xff'), true, true],
  ])('%j is safe on Linux: %s, on Windows: %s', (name, linux, windows) => {
    expect(isSafeName(name, 'linux')).toBe(linux);
    expect(isSafeName(name, 'win32')).toBe(windows);
  });

  test('is safe if it came from a folder listing', () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 255 })
      .filter(
        (name) => !name.includes(0) && !name.includes(0x2f) && !['.', '..'].includes(Buffer.from(name).toString()),
      );
    fc.assert(fc.property(bytes, (name) => isSafeName(segmentOfBytes(name), 'linux')));
  });
});

describe('a rename', () => {
  test('fails when the new name exists', () => {
    for (const name of ['a', 'b', 'dangling-target']) writeFileSync(join(folder, name), name);
    symlinkSync('nowhere', join(folder, 'dangling'));
    const rename = (to: string): void => renameExclusiveSync(join(folder, 'a'), join(folder, to));
    expect(() => rename('b')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => rename('dangling')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    rename('c');
    expect(readdirSync(folder).sort()).toEqual(['b', 'c', 'dangling', 'dangling-target']);
    expect(() => rename('d')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
