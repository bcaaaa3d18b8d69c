import { isInside } from '../../../model/local-path.ts';
import { statfs } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import type { AvailableDisk } from '../../../ipc/contract/setup.ts';
import { realPathOf } from '../../../os/filesystem/real-path.ts';
import { resultWithin } from '../result-within.ts';
import { backupFolderIn } from './backup-folder.ts';
import { mountOf } from '../../../os/filesystem/mount-list.ts';
import { shareDisk, type DiskMap, type FoundDisk } from '../../../os/disks/disk-map.ts';
import { diskMap } from '../../../os/disks/own-disk.ts';
import { userHome } from '../../../base/files/user-home.ts';

/** A network share whose server is gone may never respond. */
const TIMEOUT_MS = 2_000;

const ORDER = ['external', 'internal', 'network', 'system'] as const satisfies readonly AvailableDisk['kind'][];

/** Returns the disks of this computer, the most suitable for backups first. The disk with the home folder is last. */
export async function findDisks(): Promise<readonly AvailableDisk[]> {
  const map = await diskMap();
  const home = realPathOf(userHome() ?? '/');
  const disks = await Promise.all(map.found.map((disk) => diskChoiceOf(disk, map, home)));
  const own = await diskChoiceOf(ownDisk(map, home), map, home);
  const others = disks.filter((disk) => disk !== undefined && !holdsHome(disk, map, home));
  return [...others, own].filter((disk) => disk !== undefined).toSorted((a, b) => orderOf(a) - orderOf(b));
}

/** Returns the free and total bytes of the file system of a path; `undefined` if unknown. The path need not exist. */
export async function spaceAt(path: string): Promise<{ free: number; total: number } | undefined> {
  return resultWithin(
    TIMEOUT_MS,
    spaceOf(path).catch(() => undefined),
  );
}

async function spaceOf(path: string): Promise<{ free: number; total: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    // Some network file systems report 0 blocks.
    return blocks === 0 ? undefined : { free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    const parent = dirname(path);
    if (systemCodeOf(error) !== 'ENOENT' || parent === path) throw error;
    return spaceOf(parent);
  }
}

/** The home folder's file system, by the path of that folder: its root may not be writable. */
function ownDisk(map: DiskMap, home: string): FoundDisk {
  const label = mountOf(map.found, home)?.label ?? (basename(home) || home);
  return { path: home, label, kind: 'internal', disks: map.disksOf(home) ?? [] };
}

function holdsHome({ path }: AvailableDisk, { found }: DiskMap, home: string): boolean {
  const isOwnDrive = path.endsWith('\\') && isInside(home, path);
  return isOwnDrive || mountOf(found, home)?.path === path;
}

async function diskChoiceOf(disk: FoundDisk, map: DiskMap, home: string): Promise<AvailableDisk | undefined> {
  const { path, label, kind } = disk;
  const space = await spaceAt(path);
  if (!space) return undefined;
  const isOwn = path === home;
  const found = await resultWithin(
    TIMEOUT_MS,
    backupFolderIn(path).catch(() => undefined),
  );
  return {
    path,
    folder: found?.folder ?? path,
    label: label ?? (basename(path) || path),
    kind: isOwn ? 'system' : kind,
    freeBytes: space.free,
    totalBytes: space.total,
    isSameDisk: isOwn || (kind !== 'network' && shareDisk(map, path, home) === true),
    holdsBackups: found?.use === 'repository',
  };
}

function orderOf({ kind }: AvailableDisk): number {
  return ORDER.indexOf(kind);
}
