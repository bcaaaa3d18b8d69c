import { nameOf, parentOf } from '../../model/entry-path.ts';
import { fileBeginning, fileBeginsWith } from './file-beginning.ts';
import { fileSystemPath } from './names/entry-path.ts';

/** Databases that can be copied in a state of one moment. LevelDB is RocksDB as well. */
export type DatabaseKind = 'sqlite' | 'lmdb' | 'leveldb';

/** How a database of SQLite begins. */
export const SQLITE_HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** In the header of the first page of LMDB: that it describes a state, and after it magic number and version. */
const LMDB_PAGE = { flagsAt: 10, describes: 0x08, signatureAt: 16 };
const LMDB_SIGNATURE = Buffer.from('dec0efbe01000000', 'hex');
const LMDB_LENGTH = LMDB_PAGE.signatureAt + LMDB_SIGNATURE.length;

const LIST = Buffer.from('MANIFEST-', 'latin1');

/** Returns whether a file is a database of SQLite. @param path entry path */
export function isDatabase(path: string): boolean {
  return fileBeginsWith(fileSystemPath(path), SQLITE_HEADER);
}

/** Returns the kind of a file that is a database by itself. @param path entry path */
export function databaseKindOf(path: string): 'sqlite' | 'lmdb' | undefined {
  const beginning = fileBeginning(fileSystemPath(path), LMDB_LENGTH);
  if (beginning.subarray(0, SQLITE_HEADER.length).equals(SQLITE_HEADER)) return 'sqlite';
  const { flagsAt, describes, signatureAt } = LMDB_PAGE;
  const isLmdb = beginning.subarray(signatureAt).equals(LMDB_SIGNATURE) && beginning[flagsAt] === describes;
  return isLmdb ? 'lmdb' : undefined;
}

/** Returns whether a folder is a database of LevelDB or RocksDB. @param path entry path */
export function isLevelDb(path: string): boolean {
  return fileBeginsWith(fileSystemPath(`${path}/CURRENT`), LIST);
}

/**
 * Returns the kind of the database that programs share a file for while they have it open; `undefined` for any other file. It is made anew, and an old one would be of other files.
 *
 * @param path entry path
 */
export function sharedIn(path: string): 'sqlite' | 'lmdb' | undefined {
  if (path.endsWith('-shm')) return isDatabase(path.slice(0, -'-shm'.length)) ? 'sqlite' : undefined;
  const isLock = path.endsWith('-lock');
  if (!isLock && nameOf(path) !== 'lock.mdb') return undefined;
  const database = isLock ? path.slice(0, -'-lock'.length) : `${parentOf(path)}/data.mdb`;
  return databaseKindOf(database) === 'lmdb' ? 'lmdb' : undefined;
}
