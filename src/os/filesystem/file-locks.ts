import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';

/** A range of a file that a process has locked for writing (fcntl(2), F_WRLCK). */
export interface WriteLock {
  readonly inode: bigint;
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Returns the locks for writing that processes hold which this one sees (proc(5), locks); none where the system has no such list. Asking for them
 * takes no lock.
 */
export function writeLocks(): readonly WriteLock[] {
  try {
    return writeLocksIn(readFileSync('/proc/locks', 'latin1'));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}

/** @param list of /proc/locks. Lines with an arrow are of processes that wait for a lock. */
export function writeLocksIn(list: string): readonly WriteLock[] {
  return Array.from(list.matchAll(LOCK), ([, inode, first, last]) => ({
    inode: BigInt(inode!),
    first: BigInt(first!),
    last: last === 'EOF' ? END : BigInt(last!),
  }));
}

const LOCK = /^\d+: (?:POSIX|OFDLCK)\s+\S+\s+WRITE\s+-?\d+\s+[\da-f]+:[\da-f]+:(\d+)\s+(\d+)\s+(\d+|EOF)$/gm;
/** The largest offset of a file. */
const END = 2n ** 63n - 1n;
