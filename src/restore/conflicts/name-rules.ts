import { opendirSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { isTooLong, statIfPossible } from './existing-comparison.ts';

/** Which names a file system takes for one, and which it takes at all. */
export interface NameRules {
  /** Names that differ only in upper and lower case are one. */
  readonly foldsCase: boolean;
  /** Names that differ only in their Unicode normalisation are one. */
  readonly foldsForms: boolean;
  /** Bytes of the longest name in UTF-8. */
  readonly longestName: number;
}

/** Examined names of an existing folder. */
const MOST_EXAMINED = 100;
const LONGEST = 255;
/** Windows and macOS count UTF-16 units, of which each has three bytes at most. */
const LONGEST_IN_UNITS = 3 * LONGEST;
/** Types by statfs(2) whose case folding includes normalisation: ext4 and F2FS. */
const FOLD_BOTH: ReadonlySet<number> = new Set([0xef53, 0xf2f52010]);

/** The rules of several file systems together: what one of them does not take, the plan avoids. */
export function commonNameRules(folders: readonly string[]): NameRules {
  const rules = folders.map((folder) => nameRulesAt(folder));
  return {
    foldsCase: rules.some(({ foldsCase }) => foldsCase),
    foldsForms: rules.some(({ foldsForms }) => foldsForms),
    longestName: Math.min(...rules.map(({ longestName }) => longestName), LONGEST_IN_UNITS),
  };
}

/** Asks the file system of an existing folder. Writes nothing. @param folder a real path */
export function nameRulesAt(folder: string): NameRules {
  const foldsCase = doesFold(folder, swapCase);
  const known = foldsCase && (process.platform === 'darwin' || FOLD_BOTH.has(typeOf(folder)));
  return { foldsCase, foldsForms: known || doesFold(folder, otherForm), longestName: longestNameAt(folder) };
}

/** Returns the key that all spellings of a name have in common; the name itself if each is another file. */
export function keyOfName(name: string, { foldsCase, foldsForms }: NameRules): string {
  const formed = foldsForms ? name.normalize('NFC') : name;
  if (!foldsCase) return formed;
  // FAT and NTFS fold character by character.
  return foldsForms ? formed.toUpperCase().toLowerCase().normalize('NFC') : formed.toLowerCase();
}

/** Looks for a file of the folder under another spelling, and then for the folder itself. */
function doesFold(folder: string, respell: (name: string) => string): boolean {
  for (const name of namesIn(folder).take(MOST_EXAMINED)) {
    const same = isOneFile(folder, name, respell(name));
    if (respell(name) !== name && same !== undefined) return same;
  }
  const name = basename(folder);
  return respell(name) !== name && isOneFile(dirname(folder), name, respell(name)) === true;
}

function* namesIn(folder: string): Generator<string> {
  try {
    using entries = opendirSync(folder);
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) yield entry.name;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** Returns whether two names are one file of a folder; `undefined` if that cannot be told. */
function isOneFile(folder: string, name: string, other: string): boolean | undefined {
  const [first, second] = [statIfPossible(join(folder, name)), statIfPossible(join(folder, other))];
  // A hard link has two names everywhere.
  if (first && first.isFile() && first.nlink > 1) return undefined;
  if (!first || !second) return first && false;
  if (first.ino === second.ino && first.dev === second.dev) return true;
  // Programs that provide a file system may number a file by its spelling: the folder lists only one.
  return !namesIn(folder).some((listed) => listed === other);
}

function swapCase(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}

function otherForm(name: string): string {
  const composed = name.normalize('NFC');
  return composed === name ? name.normalize('NFD') : composed;
}

function typeOf(folder: string): number {
  try {
    return statfsSync(folder).type >>> 0;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 0;
  }
}

/** Finds the limit by names that nobody has. */
function longestNameAt(folder: string): number {
  if (process.platform === 'win32' || process.platform === 'darwin') return LONGEST_IN_UNITS;
  let [least, most] = [1, LONGEST];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (isTooLong(join(folder, 'x'.repeat(middle)))) most = middle - 1;
    else least = middle;
  }
  return least;
}
