import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  statfsSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { fileSystemPath } from '../filesystem/names/entry-path.ts';
import { mayStillChange, packedStat, unreliableStat } from '../filesystem/stat-record.ts';

/** What SQLite keeps beside a database. The shared memory is not one of them: it is made anew, and never stored. */
export const SIDECARS = ['-wal', '-journal'] as const;

/** What a program that has a database open keeps beside it. */
export const COMPANIONS = [...SIDECARS, '-shm'] as const;

export interface CopyDatabaseInput {
  /** Entry path of the database. */
  readonly path: string;
  /** The beginning of the names of the copies, in a folder of this program. */
  readonly copy: string;
}

export interface CopiedMember {
  /** Empty for the database itself. */
  readonly suffix: string;
  readonly copy: string;
  readonly size: number;
  /** Packed, of the file itself. */
  readonly stat: Uint8Array;
}

export interface CopyDatabaseOutput {
  /** Empty if no copy of one moment could be made. */
  readonly members: readonly CopiedMember[];
}

const TRIES = 60;
const PATIENCE_MS = 4000;
const MILLISECOND = 1_000_000n;
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const WAL_HEADER = 32;
const JOURNAL_HEADER = 28;

/** A file, and its first bytes. */
interface SeenFile {
  readonly stat: BigIntStats;
  readonly head: Buffer;
}

interface Seen {
  readonly database: SeenFile | undefined;
  readonly wal: SeenFile | undefined;
  readonly journal: SeenFile | undefined;
}

/**
 * Copies a database of SQLite with its log or journal, so that the copies together are a state of one moment, whatever program writes meanwhile. No lock is taken: no
 * program ever waits for a backup. Runs in a worker thread.
 */
export function copyDatabase({ path, copy }: CopyDatabaseInput): TaskAnswer<CopyDatabaseOutput> {
  const end = performance.now() + PATIENCE_MS;
  for (let tries = 1; tries <= TRIES && performance.now() < end; tries += 1) {
    try {
      const members = copyOnce(path, copy);
      if (members) return { value: { members }, transfer: [] };
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      // What vanished, or appeared, is looked at again.
      if (systemCodeOf(error) !== 'ENOENT') break;
    }
    pause(2 + (tries % 7) * 3);
  }
  return { value: { members: [] }, transfer: [] };
}

function copyOnce(path: string, copy: string): CopiedMember[] | undefined {
  const now = kernelTime(join(dirname(copy), 'clock'));
  const before = see(path);
  if (!before.database || !hasRoom(before, dirname(copy))) return undefined;
  // The log after the database: it then has whatever a checkpoint has moved into the copied database meanwhile. The journal likewise.
  const suffixes = ['', ...SIDECARS.filter((suffix) => (suffix === '-wal' ? before.wal : before.journal))];
  for (const suffix of suffixes) copyFileSync(fileSystemPath(path + suffix), copy + suffix, constants.COPYFILE_FICLONE);
  const after = see(path);
  if (!isOneMoment(before, after, now) || hasSuperJournal(before, copy)) return undefined;
  return suffixes.map((suffix) => memberOf(suffix, copy + suffix, before, after));
}

/**
 * Returns whether files that were copied in between are of one moment.
 *
 * - With a write-ahead log, the database changes only by checkpoints, which move what the log has. As long as the log is the same (its header has random numbers that
 *   change whenever it begins anew), the log that was copied last has everything that could be half in the copied database.
 * - With a hot journal, it has the former content of all pages that are written: as long as it is the same, SQLite takes the copied database back to it.
 * - Otherwise nothing may have been written: the times are the same, and were over when the copy began.
 */
export function isOneMoment(before: Seen, after: Seen, now: bigint): boolean {
  if (!before.database || !after.database || before.database.stat.ino !== after.database.stat.ino) return false;
  const isHot = (seen: Seen): boolean => seen.journal?.head.subarray(0, 8).equals(JOURNAL_MAGIC) === true;
  const hasLog = (seen: Seen): boolean => seen.wal !== undefined && seen.wal.head.length === WAL_HEADER;
  if (hasLog(before) || hasLog(after)) return !isHot(before) && !isHot(after) && isSameFile(before.wal, after.wal);
  if (isHot(before) || isHot(after)) {
    const nonce = (seen: Seen): Buffer | undefined => seen.journal?.head.subarray(12);
    const isSame = before.journal?.stat.ino === after.journal?.stat.ino;
    return isSame && isHot(before) && isHot(after) && nonce(before)!.equals(nonce(after)!);
  }
  return isUntouched(before.database.stat, after.database.stat, now) && isSameFile(before.database, after.database);
}

function isSameFile(before: SeenFile | undefined, after: SeenFile | undefined): boolean {
  return before !== undefined && before.stat.ino === after?.stat.ino && before.head.equals(after.head);
}

function isUntouched(before: BigIntStats, after: BigIntStats, now: bigint): boolean {
  const isSame = before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs;
  // A write within the same tick of the clock leaves the times as they are.
  const slack = before.mtimeNs % MILLISECOND === 0n ? 2000n * MILLISECOND : 0n;
  return isSame && before.mtimeNs + slack < now && before.ctimeNs + slack < now;
}

/** A transaction over several databases is only taken back if the file that names them all exists, too. */
function hasSuperJournal({ journal }: Seen, copy: string): boolean {
  if (!journal || journal.stat.size < 8n) return false;
  const file = openSync(`${copy}-journal`, FLAGS);
  try {
    const bytes = Buffer.alloc(8);
    readSync(file, bytes, 0, 8, Math.max(0, fstatSync(file).size - 8));
    return bytes.equals(JOURNAL_MAGIC);
  } finally {
    closeSync(file);
  }
}

function see(path: string): Seen {
  return {
    database: seeFile(path, 100),
    wal: seeFile(`${path}-wal`, WAL_HEADER),
    journal: seeFile(`${path}-journal`, JOURNAL_HEADER),
  };
}

function seeFile(path: string, length: number): SeenFile | undefined {
  const stat = lstatSync(fileSystemPath(path), { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const file = openSync(fileSystemPath(path), FLAGS);
  try {
    const head = Buffer.alloc(length);
    return { stat, head: head.subarray(0, readSync(file, head, 0, length, 0)) };
  } finally {
    closeSync(file);
  }
}

function hasRoom({ database, wal, journal }: Seen, folder: string): boolean {
  const size = [database, wal, journal].reduce((sum, file) => sum + Number(file?.stat.size ?? 0), 0);
  const { bavail, bsize } = statfsSync(folder);
  return size < (bavail * bsize) / 2;
}

function memberOf(suffix: string, copy: string, before: Seen, after: Seen): CopiedMember {
  const of = (seen: Seen): BigIntStats | undefined =>
    (suffix === '' ? seen.database : suffix === '-wal' ? seen.wal : seen.journal)?.stat;
  const size = lstatSync(copy).size;
  const [first, last] = [of(before)!, of(after)];
  const stat = packedStat(first);
  const isSteady =
    last !== undefined && isUntouched(first, last, last.mtimeNs + 1n) && !mayStillChange(first, Date.now());
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
