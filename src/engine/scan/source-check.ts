import { lstatSync, readFileSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import type { KnownRoot } from '../catalog/entries/entries.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { fileSystemPath } from '../filesystem/names/entry-path.ts';
import { readDirectorySync } from './read-directory.ts';

/** The current state of a root. It is stored with the restore point for the next run's comparison. */
export interface RootState extends KnownRoot {
  readonly stat: BigIntStats;
}

/**
 * Refuses a root whose content would be recorded as deleted although nobody deleted it.
 *
 * @param known the root's state at the newest restore point
 * @throws HoldfastError `source_missing`, `source_unreadable`, and unless `allowEmpty` `source_not_mounted`,
 * `source_empty`
 */
export function checkRoot(path: string, known: KnownRoot | undefined, allowEmpty: boolean): RootState {
  const stat = statRoot(path);
  const mountPoint = isMountPoint(path, stat);
  const entries = stat.isDirectory() ? countEntries(path) : 0;
  if (!allowEmpty) {
    const unmounted = known?.mountPoint === true && !mountPoint;
    if (unmounted || (!mountPoint && entries === 0 && isListedForMounting(path))) {
      throw new HoldfastError('source_not_mounted', { path });
    }
    if (known && known.entries > 0 && entries === 0) {
      throw new HoldfastError('source_empty', { path, before: known.entries, directory: stat.isDirectory() });
    }
  }
  return { path, mountPoint, entries, stat };
}

/**
 * Refuses a root that disappeared during the run: all of its files would count as deleted.
 *
 * @throws HoldfastError `source_missing`, `source_not_mounted`
 */
export function recheckRoot({ path, mountPoint, stat: before }: RootState): void {
  const now = statRoot(path);
  // A file may be replaced by its next version at any time. A folder that was replaced is not the source.
  if (!before.isDirectory() || isSameFolder(before, now)) return;
  throw new HoldfastError(mountPoint ? 'source_not_mounted' : 'source_missing', { path, problem: 'replaced' });
}

/**
 * Some file systems number a folder anew once nobody has used it for a while: FAT, and overlays of two disks. The time of its birth stays; it is 0
 * where there is none.
 */
function isSameFolder(before: BigIntStats, now: BigIntStats): boolean {
  if (now.dev !== before.dev) return false;
  return now.ino === before.ino || (now.birthtimeNs !== 0n && now.birthtimeNs === before.birthtimeNs);
}

function statRoot(path: string): BigIntStats {
  try {
    return lstatSync(fileSystemPath(path), { bigint: true });
  } catch (error) {
    throw rootError(error, path);
  }
}

function countEntries(path: string): number {
  try {
    return readDirectorySync(path).length;
  } catch (error) {
    throw rootError(error, path);
  }
}

function rootError(cause: unknown, path: string): HoldfastError {
  const code = systemCodeOf(cause);
  const missing = code === 'ENOENT' || code === 'ENOTDIR';
  return new HoldfastError(missing ? 'source_missing' : 'source_unreadable', { path, problem: code }, { cause });
}

function isMountPoint(path: string, stat: BigIntStats): boolean {
  const parent = dirname(path);
  if (parent === path || !stat.isDirectory()) return false;
  try {
    return lstatSync(fileSystemPath(parent), { bigint: true }).dev !== stat.dev;
  } catch {
    return false;
  }
}

/** Returns whether /etc/fstab lists the folder as a mount point. */
function isListedForMounting(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync('/etc/fstab', 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .some((line) => line.split(/\s+/)[1]?.replaceAll('\\040', ' ') === path);
  } catch {
    return false;
  }
}
