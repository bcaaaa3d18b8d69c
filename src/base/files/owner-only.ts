import { chmodSync, lchownSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownerToKeep, type Owner } from './keep-owner.ts';

/** Rights of the group and of all others. */
const OTHERS = 0o077;

/** The umask that the process was started with. */
let inherited: number | undefined;

/** Lets every file that this process creates be used by its owner only. Called first by each program; not in threads. */
export function createForOwnerOnly(): void {
  inherited = process.umask(OTHERS);
}

/** Starts another program, whose files are none of ours. @param start starts it before it returns */
export function withInheritedUmask<Result>(start: () => Result): Result {
  if (inherited === undefined) return start();
  const own = process.umask(inherited);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}

/**
 * Takes the rights of others from a database, which SQLite creates as readable by everybody, and from its log. Files of another
 * user stay as they are.
 */
export function restrictDatabase(file: string): void {
  if (process.platform === 'win32') return;
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.uid === 0) giveDatabaseTo(path, ownerToKeep(dirname(path)));
    if (!found || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) continue;
    try {
      chmodSync(path, found.mode & 0o777 & ~OTHERS);
    } catch {
      // A file system without modes, or one that is read-only.
    }
  }
}

/** By its path, since closing another descriptor of a database would end the locks that SQLite has on it. */
function giveDatabaseTo(path: string, owner: Owner | undefined): void {
  const found = lstatSync(path);
  // Another name of the file may be one of root's.
  if (!owner || !found.isFile() || found.nlink !== 1) return;
  try {
    lchownSync(path, owner.uid, owner.gid);
  } catch {
    // A file system without owners.
  }
}
