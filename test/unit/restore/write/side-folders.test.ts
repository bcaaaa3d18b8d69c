import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderWalk } from '../../../../src/os/filesystem/folder-walk.ts';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import { SideFolders } from '../../../../src/restore/write/side-folders.ts';

let target: string;
beforeEach(() => {
  target = mkdtempSync(join(tmpdir(), 'holdfast-sides-'));
  mkdirSync(join(target, 'docs', 'inner'), { recursive: true });
});
afterEach(() => rmSync(target, { recursive: true, force: true }));

describe('a side folder', () => {
  test.each([
    [[{ name: 'docs' }], ['docs', 'inner', 'a'], 'Side/docs/inner/a'],
    [[{ folder: ['docs'], name: 'inner' }], ['docs', 'inner', 'a'], 'docs/Side/inner/a'],
    [[{ name: '' }], ['docs', 'a'], 'Side/docs/a'],
    [[{ name: 'docs' }], ['docs'], 'Side/docs'],
  ])('is beside the base', (bases, original, place) => {
    using walk = new FolderWalk(Folder.open(target));
    expect(new SideFolders({ target, bases, walk, name: 'Side' }).placeOf(original).join('/')).toBe(place);
  });

  test('is that of a base alone', () => {
    using walk = new FolderWalk(Folder.open(target));
    const sides = new SideFolders({ target, bases: [{ name: 'docs' }], walk, name: 'Side' });
    expect([sides.has(['docs', 'a']), sides.has(['docs']), sides.has(['other', 'a'])]).toEqual([true, true, false]);
  });

  test.skipIf(process.getuid?.() !== 0)('belongs to the owner of the base if root makes it', () => {
    chownSync(join(target, 'docs'), 4711, 4712);
    using walk = new FolderWalk(Folder.open(target));
    new SideFolders({ target, bases: [{ name: 'docs' }], walk, name: 'Side' }).enter(['Side', 'docs']);
    for (const names of [['Side'], ['Side', 'docs']]) {
      expect(statSync(join(target, ...names))).toMatchObject({ uid: 4711, gid: 4712 });
    }
  });
});
