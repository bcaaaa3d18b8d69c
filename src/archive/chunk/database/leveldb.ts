import { readdirSync } from 'node:fs';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { isSameFile, seeFile, type DatabaseFormat, type SeenFile } from './database-format.ts';

/** The file that names the newest list. */
export const CURRENT = 'CURRENT';

const PART = /^(?:CURRENT|IDENTITY|(?:MANIFEST|OPTIONS)-\d+|\d+\.(?:log|ldb|sst|blob))$/;
const TABLE = /^\d+\.(?:ldb|sst)$/;
const LIST = /^MANIFEST-\d+(?=\n$)/;
/** More than any file CURRENT has. */
const LONGEST_NAME = 64;

/** Returns whether a file in a folder of LevelDB or RocksDB is a part of the database, by its name. */
export function isPart(name: string): boolean {
  return PART.test(name);
}

/**
 * A folder of LevelDB or RocksDB. Tables are written once. The list says which tables and logs count, and a table or log that counts is there until the list says otherwise. As long
 * as nothing was added to the list, nothing else is missing: of the logs, which grow, the copies have the beginning, and the later log is copied after the earlier one. What no list
 * names is cleared away by whoever opens the database.
 */
export const LEVELDB: DatabaseFormat = {
  see: (path) => {
    const current = seeFile(path + CURRENT, LONGEST_NAME);
    const list = current && LIST.exec(current.head.toString('latin1'))?.[0];
    const seenList = list === undefined ? undefined : seeFile(path + list, 0);
    if (!current || list === undefined || !seenList) return new Map();
    const seen = new Map<string, SeenFile>([
      [CURRENT, current],
      [list, seenList],
    ]);
    const names = readdirSync(fileSystemPath(path.slice(0, -1))).filter((name) => isPart(name) && !seen.has(name));
    // Tables first and logs last, so that what was written by the end of the copy is in it.
    names.sort((one, other) => orderOf(one) - orderOf(other) || one.length - other.length || (one < other ? -1 : 1));
    for (const name of names) {
      // Another list is of a state before, or not complete yet.
      const file = name.startsWith('MANIFEST-') ? undefined : seeFile(path + name, 0);
      if (file) seen.set(name, file);
    }
    return seen;
  },
  isOneMoment: (before, after) => {
    const [, list] = before.keys();
    if (list === undefined || !isSameFile(before.get(CURRENT), after.get(CURRENT))) return false;
    const [first, last] = [before.get(list), after.get(list)];
    return (
      isSameFile(first, last) && first!.stat.size === last!.stat.size && first!.stat.mtimeNs === last!.stat.mtimeNs
    );
  },
  isSettled: (suffix) => TABLE.test(suffix),
  settlesAfter: 0,
};

function orderOf(name: string): number {
  return name.endsWith('.log') ? 1 : 0;
}
