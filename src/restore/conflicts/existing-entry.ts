import { lstatSync, readlinkSync, type BigIntStats } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { bytesOfSegment } from '../../os/filesystem/names/entry-path.ts';
import { isTimeAsSet, nanosecondsOf } from '../../os/filesystem/times.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import type { Existing } from './decision.ts';

export function statIfPossible(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // Writing to it will fail too, and report why.
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

export function typeOf(stat: BigIntStats): Existing['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}

/** Returns whether modification time (as exactly as the file system stores it) and size (or link target) are those of the entry. */
export function hasSameStat(entry: PlannedEntry, stat: BigIntStats, path: string | Buffer): boolean {
  const { seconds, nanoseconds } = entry;
  if (seconds !== null && !isTimeAsSet(stat.mtimeNs, nanosecondsOf(seconds, nanoseconds))) return false;
  return entry.type === 'symlink' ? hasSameLink(entry, path) : stat.size === BigInt(entry.size);
}

export function hasSameLink(entry: PlannedEntry, path: string | Buffer): boolean {
  return readlinkSync(path, { encoding: 'buffer' }).equals(bytesOfSegment(entry.target ?? ''));
}

/** Returns whether the file system does not take a name of this length. */
export function isTooLong(path: string | Buffer): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ENAMETOOLONG';
  }
}
