import { COMPANIONS, SIDECARS } from '../../archive/chunk/database/sqlite.ts';
import { fileBeginsWith } from '../../os/filesystem/file-beginning.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { SQLITE_HEADER } from '../../os/filesystem/database-file.ts';
import { statIfPossible } from './existing-entry.ts';

/** Beginnings of logs, in both byte orders of their checksums, and of journals that are to be taken back. */
const BEGINNINGS = ['377f0682', '377f0683', 'd9d505f920a163d7'].map((hex) => Buffer.from(hex, 'hex'));

/** A file that SQLite would apply to the database beside it. */
export interface Companion {
  readonly suffix: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Returns what is beside a name; `undefined` if neither it nor anything beside it is of SQLite. */
export function companionsAt(folder: Folder, name: string): readonly Companion[] | undefined {
  const there = COMPANIONS.flatMap((suffix): Companion[] => {
    const stat = statIfPossible(folder.pathOf(name + suffix));
    return stat?.isFile() === true
      ? [{ suffix, size: Number(stat.size), modified: Math.floor(Number(stat.mtimeMs)) }]
      : [];
  });
  const isDatabase =
    fileBeginsWith(folder.pathOf(name), SQLITE_HEADER) ||
    there.some(({ suffix }) => BEGINNINGS.some((one) => fileBeginsWith(folder.pathOf(name + suffix), one)));
  return isDatabase ? there : undefined;
}

/** Returns the end of a name that makes a file the log or journal of the one without it; `undefined` for any other. */
export function companionSuffix(path: string): string | undefined {
  return SIDECARS.find((suffix) => path.endsWith(suffix));
}
