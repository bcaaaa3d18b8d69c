import { fileBeginsWith } from '../filesystem/file-beginning.ts';
import { fileSystemPath } from '../filesystem/names/entry-path.ts';

/** How a database of SQLite begins. */
export const SQLITE_HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** Returns whether a file is a database of SQLite. @param path entry path */
export function isDatabase(path: string): boolean {
  return fileBeginsWith(fileSystemPath(path), SQLITE_HEADER);
}
