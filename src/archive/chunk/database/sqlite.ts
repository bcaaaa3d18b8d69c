import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { writeLocks } from '../../../os/filesystem/file-locks.ts';
import { READ_FLAGS } from '../../../os/filesystem/read-flags.ts';
import { isSameFile, isUntouched, seeFile, type DatabaseFormat, type Look, type SeenFile } from './database-format.ts';

/** What SQLite keeps beside a database. The shared memory is not one of them: it is made anew, and never stored. */
export const SIDECARS = ['-wal', '-journal'] as const;

/** What a program that has a database open keeps beside it. */
export const COMPANIONS = [...SIDECARS, '-shm'] as const;

const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const DATABASE_HEADER = 100;
const WAL_HEADER = 32;
const JOURNAL_HEADER = 28;

/**
 * A database of SQLite with its log or journal. The database is copied first: the log then has whatever a checkpoint moves into the copied database meanwhile, and
 * the journal likewise.
 */
export const SQLITE: DatabaseFormat = {
  see: (path) => {
    const lengths = [DATABASE_HEADER, WAL_HEADER, JOURNAL_HEADER];
    const look = (suffix: string, index: number) => [suffix, seeFile(path + suffix, lengths[index]!)] as const;
    const seen = [look('', 0), ...SIDECARS.map((suffix, index) => look(suffix, index + 1))] as const;
    const [[, database], ...others] = seen;
    if (!database) return new Map();
    const here = others.flatMap(([suffix, file]) => (file ? [[suffix, file] as const] : []));
    return new Map([['', { ...database, isBeingWritten: isBeingWritten(database) }], ...here]);
  },
  isOneMoment,
  isUsable: (before, copy) => !hasSuperJournal(before, copy),
  isSettled: () => false,
  settlesAfter: 0,
};

/**
 * Returns whether files that were copied in between are of one moment.
 *
 * - With a write-ahead log, the database changes only by checkpoints, which move what the log has. As long as the log is the same (its header has random numbers that
 *   change whenever it begins anew), the log that was copied last has everything that could be half in the copied database.
 * - With a hot journal, it has the former content of all pages that are written: as long as it is the same, SQLite takes the copied database back to it.
 * - Otherwise nothing may have been written: the times are the same, and were over when the copy began. A transaction whose journal is in memory, or that has none,
 *   leaves its half in the database for as long as it lasts, and is known by its lock. With a journal beside it, the lock may be one that a program never gives back
 *   (`locking_mode=EXCLUSIVE`), and says nothing.
 */
function isOneMoment(before: Look, after: Look, now: bigint): boolean {
  const [first, last] = [before.get(''), after.get('')];
  if (!first || !last || first.stat.ino !== last.stat.ino) return false;
  const isHot = (seen: Look): boolean => seen.get('-journal')?.head.subarray(0, 8).equals(JOURNAL_MAGIC) === true;
  const hasLog = (seen: Look): boolean => seen.get('-wal')?.head.length === WAL_HEADER;
  if (hasLog(before) || hasLog(after)) {
    return !isHot(before) && !isHot(after) && isSameFile(before.get('-wal'), after.get('-wal'));
  }
  if (isHot(before) || isHot(after)) {
    const nonce = (seen: Look): Buffer | undefined => seen.get('-journal')?.head.subarray(12);
    const isSame = before.get('-journal')?.stat.ino === after.get('-journal')?.stat.ino;
    return isSame && isHot(before) && isHot(after) && nonce(before)!.equals(nonce(after)!);
  }
  return (
    !isHalfWritten(before) &&
    !isHalfWritten(after) &&
    isUntouched(first.stat, last.stat, now) &&
    isSameFile(first, last)
  );
}

/** Returns whether a database may have half a transaction that nothing beside it takes back. */
export function isHalfWritten(seen: Look): boolean {
  return seen.get('')?.isBeingWritten === true && !seen.has('-journal');
}

/** Returns whether a program has the lock without which no page of a database is written (https://sqlite.org/fileformat2.html#the_lock_byte_page). */
function isBeingWritten({ stat }: SeenFile): boolean {
  return writeLocks().some(
    ({ inode, first, last }) => inode === stat.ino && first < SHARED_LOCK + SHARED_BYTES && last >= SHARED_LOCK,
  );
}

const SHARED_LOCK = 0x4000_0002n;
const SHARED_BYTES = 510n;

/** A transaction over several databases is only taken back if the file that names them all exists, too. */
function hasSuperJournal(before: Look, copy: string): boolean {
  const journal = before.get('-journal');
  if (!journal || journal.stat.size < 8n) return false;
  const file = openSync(`${copy}-journal`, READ_FLAGS);
  try {
    const bytes = Buffer.alloc(8);
    readSync(file, bytes, 0, 8, Math.max(0, fstatSync(file).size - 8));
    return bytes.equals(JOURNAL_MAGIC);
  } finally {
    closeSync(file);
  }
}
