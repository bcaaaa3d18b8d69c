import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownFolderOf, ownFoldersWithin } from '../../../../src/agent/sets/own-folders.ts';

interface Place {
  readonly root: string;
  readonly backups: string;
  readonly other: string;
  mount(...words: readonly string[]): void;
}

/** `root` and `backups` are on a disk of their own, `other` is not. */
function makePlace(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mounted-')));
  const mounted: string[] = [];
  const mount = (...words: readonly string[]): void => {
    expect(spawnSync('mount', words).status).toBe(0);
    mounted.unshift(words.at(-1)!);
  };
  onTestFinished(() => {
    for (const path of mounted) spawnSync('umount', [path]);
    rmSync(folder, { recursive: true, force: true });
  });
  const disk = join(folder, 'a disk');
  mkdirSync(disk);
  mount('-t', 'tmpfs', '-o', 'size=1m', 'none', disk);
  const place = { root: join(disk, 'root'), backups: join(disk, 'backups'), other: join(folder, 'other'), mount };
  for (const path of [join(place.root, 'here'), join(place.backups, 'packs'), place.other]) {
    mkdirSync(path, { recursive: true });
  }
  return place;
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mounted-'));
  const mounted = spawnSync('mount', ['--bind', folder, folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return mounted;
}

describe.skipIf(!canMount())('own folders that are mounted elsewhere', () => {
  test('are found where they are mounted within a root', () => {
    const { root, backups, mount } = makePlace();
    expect(ownFoldersWithin([root], [backups])).toEqual([]);
    mount('--bind', backups, join(root, 'here'));
    expect(ownFoldersWithin([root], [backups])).toEqual([join(root, 'here')]);
    expect(ownFolderOf(join(root, 'here', 'packs'), [backups])).toBe(backups);
    expect(ownFolderOf(root, [backups])).toBeUndefined();
  });

  test('are found in a folder that is mounted again, and by a part of them', () => {
    const { backups, other, mount } = makePlace();
    const [whole, part] = [join(other, 'whole'), join(other, 'part')];
    for (const path of [whole, part]) mkdirSync(path);
    mount('--bind', join(backups, '..'), whole);
    mount('--bind', join(backups, 'packs'), part);
    expect(ownFoldersWithin([other], [backups])).toEqual([join(whole, 'backups'), part]);
    expect(ownFolderOf(part, [backups])).toBe(backups);
  });

  test('are not taken for what covers them', () => {
    const { backups, other, mount } = makePlace();
    mount('--bind', join(backups, '..'), other);
    mount('-t', 'tmpfs', '-o', 'size=1m', 'none', join(other, 'backups'));
    expect(ownFoldersWithin([other], [backups])).toEqual([]);
    expect(ownFolderOf(join(other, 'backups'), [backups])).toBeUndefined();
  });
});
