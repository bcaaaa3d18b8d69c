import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import type { TaskAnswer } from '../../../base/limits/thread-pool.ts';
import { READ_FLAGS } from '../../../os/filesystem/read-flags.ts';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { mayStillChange, packedStat, hasSameSignature, unreliableStat } from '../../../os/filesystem/stat-record.ts';
import type { DatabaseKind } from '../../../os/filesystem/database-file.ts';
import { LEVELDB } from './leveldb.ts';
import { LMDB } from './lmdb.ts';
import { isUntouched, type DatabaseFormat, type Look, type SeenFile } from './database-format.ts';
import { SQLITE } from './sqlite.ts';
import { MIB } from '../../../model/units.ts';

const FORMATS: Readonly<Record<DatabaseKind, DatabaseFormat>> = { sqlite: SQLITE, lmdb: LMDB, leveldb: LEVELDB };

export interface CopyDatabaseInput {
  readonly kind: DatabaseKind;
  /** Entry path of the database; of a folder, with a slash. */
  readonly path: string;
  /** The beginning of the names of the copies, in a folder of this program. */
  readonly copy: string;
  /** Packed stats of the files that are stored, by what follows the path. What has not changed for certain is not copied. */
  readonly known?: ReadonlyMap<string, Uint8Array>;
}

export interface DatabaseMember {
  /** What follows the path of the database: empty for a database itself, and the name in a folder. */
  readonly suffix: string;
  /** `undefined` if what is stored is what is there. */
  readonly copy: string | undefined;
  readonly size: number;
  /** Packed, of the file itself. */
  readonly stat: Uint8Array;
}

export interface CopyDatabaseOutput {
  /** Empty if no copy of one moment could be made. */
  readonly members: readonly DatabaseMember[];
  /** True if the disk has no room for copies. */
  readonly isTooLarge?: boolean;
}

const TRIES = 60;
const PATIENCE_MS = 4000;
const PART_BYTES = MIB;

/**
 * Copies a database with all that belongs to it, so that the copies together are a state of one moment, whatever program writes meanwhile. No lock is taken: no
 * program ever waits for a backup. Runs in a worker thread.
 */
export function copyDatabase(input: CopyDatabaseInput): TaskAnswer<CopyDatabaseOutput> {
  const end = performance.now() + PATIENCE_MS;
  for (let tries = 1; tries <= TRIES && performance.now() < end; tries += 1) {
    try {
      const members = copyOnce(input);
      if (members === 'too-large') return { value: { members: [], isTooLarge: true }, transfer: [] };
      if (members) return { value: { members }, transfer: [] };
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      if (code === 'ENOSPC' || code === 'EDQUOT') return { value: { members: [], isTooLarge: true }, transfer: [] };
      // What vanished, or appeared, is looked at again.
      if (code !== 'ENOENT') break;
    }
    pause(2 + (tries % 7) * 3);
  }
  return { value: { members: [] }, transfer: [] };
}

function copyOnce({ kind, path, copy, known }: CopyDatabaseInput): readonly DatabaseMember[] | 'too-large' | undefined {
  const format = FORMATS[kind];
  const now = kernelTime(join(dirname(copy), 'clock'));
  const before = format.see(path);
  if (before.size === 0) return undefined;
  const isStored = (suffix: string): boolean => {
    const stored = format.isSettled(suffix) ? known?.get(suffix) : undefined;
    return stored !== undefined && hasSameSignature(stored, packedStat(before.get(suffix)!.stat));
  };
  const changed = new Set([...before.keys()].filter((suffix) => !isStored(suffix)));
  const way = wayToCopy(before, changed, dirname(copy));
  for (const suffix of changed) {
    // A clone is not made over what is there.
    rmSync(copy + suffix, { force: true });
    try {
      copyFile(path + suffix, copy + suffix, before.get(suffix)!, way);
    } catch (error) {
      // Only a clone would have had room.
      if (way === constants.COPYFILE_FICLONE_FORCE && systemCodeOf(error) !== 'ENOENT') return 'too-large';
      throw error;
    }
  }
  const after = format.see(path);
  if (!format.isOneMoment(before, after, now) || format.isUsable?.(before, copy) === false) return undefined;
  return [...before.keys()].map((suffix) =>
    memberOf(suffix, changed.has(suffix) ? copy + suffix : undefined, { before, after, format }),
  );
}

function usedBytes({ stat, used }: SeenFile): number {
  return Math.min(used ?? Infinity, Number(stat.size));
}

/** Copies what is in use. The copy has the size of the file, and a hole in place of what is not. */
function copyFile(path: string, copy: string, seen: SeenFile, way: number): void {
  const used = usedBytes(seen);
  if (used === Number(seen.stat.size) || way === constants.COPYFILE_FICLONE_FORCE) {
    copyFileSync(fileSystemPath(path), copy, way);
    return;
  }
  const [from, to] = [openSync(fileSystemPath(path), READ_FLAGS), openSync(copy, 'wx', 0o600)];
  try {
    const part = Buffer.allocUnsafe(Math.min(used, PART_BYTES));
    for (let at = 0; at < used;) {
      const length = readSync(from, part, 0, Math.min(part.length, used - at), at);
      // It has become shorter: the next look is another one.
      if (length === 0) break;
      writeFileSync(to, part.subarray(0, length));
      at += length;
    }
    ftruncateSync(to, Number(seen.stat.size));
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

/** A clone takes no room. Otherwise half of what is free is for others. */
function wayToCopy(before: Look, changed: ReadonlySet<string>, folder: string): number {
  let size = 0;
  for (const suffix of changed) size += usedBytes(before.get(suffix)!);
  const { bavail, bsize } = statfsSync(folder);
  return size < (bavail * bsize) / 2 ? constants.COPYFILE_FICLONE : constants.COPYFILE_FICLONE_FORCE;
}

function memberOf(
  suffix: string,
  copy: string | undefined,
  { before, after, format }: { readonly before: Look; readonly after: Look; readonly format: DatabaseFormat },
): DatabaseMember {
  const [first, last] = [before.get(suffix)!.stat, after.get(suffix)?.stat];
  const size = copy === undefined ? Number(first.size) : lstatSync(copy).size;
  const stat = packedStat(first);
  const age = Date.now() - Number(first.mtimeMs);
  const isSteady =
    last !== undefined &&
    isUntouched(first, last, last.mtimeNs + 1n) &&
    !mayStillChange(first, Date.now()) &&
    Math.abs(age) >= format.settlesAfter;
  if (!isSteady || Number(first.size) !== size) unreliableStat(stat, size);
  return { suffix, copy, size, stat };
}

/** Returns the kernel's clock as files get it, which is behind the exact time by up to a tick. */
function kernelTime(path: string): bigint {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, ' ');
    return fstatSync(file, { bigint: true }).mtimeNs;
  } finally {
    closeSync(file);
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
