import { COMPANIONS, SIDECARS } from '../../archive/chunk/database/sqlite.ts';
import { fileBeginsWith } from '../../os/filesystem/file-beginning.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { SQLITE_HEADER } from '../../os/filesystem/database-file.ts';
import { statIfPossible } from './existing-comparison.ts';
import { readdirSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { CURRENT, isPart } from '../../archive/chunk/database/leveldb.ts';
import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import type { PlanStore } from '../record/plan-store.ts';

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

const LOG = '.log';

/**
 * Returns the names of files in a folder that would be applied to a database of LevelDB or RocksDB that is restored there: logs and lists that its restored version does not
 * have. Whoever opens the database would read later logs as well.
 *
 * @param entry the planned file that may be the one that names the list
 */
export function laterParts({ path, type }: PlannedEntry, folder: Folder, store: PlanStore): readonly string[] {
  if (type !== 'file' || !path.endsWith(`/${CURRENT}`)) return [];
  const inside = path.slice(0, -CURRENT.length);
  // Another file of this name, or one that is restored without its database.
  if (!store.hasFile({ from: `${inside}MANIFEST-`, before: `${inside}MANIFEST.`, end: '' })) return [];
  const later = partsIn(folder).filter((name) => !store.findFile(inside + name));
  // Without its logs, which a rule of the set may leave out, a version does not say which of them are later ones.
  const isWithLogs = later.every((name) => !name.endsWith(LOG)) || hasLogs(store, inside);
  return isWithLogs ? later : later.filter((name) => !name.endsWith(LOG));
}

function hasLogs(store: PlanStore, inside: string): boolean {
  return store.hasFile({ from: `${inside}0`, before: `${inside}:`, end: LOG });
}

function partsIn(folder: Folder): readonly string[] {
  try {
    return readdirSync(folder.self, { encoding: 'buffer' }).map(segmentOfBytes).filter(isPart);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}
