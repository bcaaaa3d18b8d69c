import { isWithin, parentOf } from '../../model/entry-path.ts';
import { isInside } from '../../model/local-path.ts';
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, parse } from 'node:path';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { entryPathOf, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import type { RestoreBase } from '../plan/target-names.ts';
import { placeAt, type Place, type Target } from './target.ts';

/** Where entries go that are put back. */
export interface OriginalPlaces {
  /** The deepest folder that has all of them. */
  readonly target: Target;
  /** The same bases, with their own names and the folders that lead to them. */
  readonly bases: readonly RestoreBase[];
}

/**
 * Resolves the places that restored roots and paths came from. Links in the folders above a source are followed, and so is a source that is a link,
 * as they are by a backup. A link in the place of a folder inside of a source is not: what it leads to was not backed up.
 *
 * @param sources entry paths of the set's sources on this computer
 * @param backedUp entry paths of the sources at the restore point
 * @throws HoldfastError `target_unwritable` (details `{target, reason}`): `EINVAL` for a path of another operating system, `EXDEV`
 *   for paths on several drives of Windows, `ELOOP` for a link inside of a source, and what the system says of a folder on the way
 */
export function resolveOriginalPlaces(
  bases: readonly RestoreBase[],
  sources: readonly string[] = [],
  backedUp: readonly string[] = sources,
): OriginalPlaces {
  for (const { path } of bases) requireNoLinks(path, backedUp);
  const originals = bases.map((base) => originalOf(base, sources.includes(base.path)));
  const common = commonFolder(originals.map(({ folder }) => folder));
  const places = new Map(originals.map(({ place }) => [place.path, place]));
  return {
    target: { ...placeAt(common), places: [...places.values()] },
    bases: originals.map(({ base, folder, inside, name }) => ({
      path: base.path,
      name,
      folder: [...entryPathOf(folder.slice(common.length)).split('/').filter(Boolean), ...inside],
    })),
  };
}

interface Original {
  readonly base: RestoreBase;
  /** Real path of the folder that has it. */
  readonly folder: string;
  /** Folders in it that lead to the base, because their names are no text. */
  readonly inside: readonly string[];
  readonly name: string;
  /** The folder in which the restore creates entries. */
  readonly place: Place;
}

/** @throws HoldfastError `target_unwritable` (`ELOOP`) if a folder between a source and the path is a link now */
function requireNoLinks(path: string, backedUp: readonly string[]): void {
  for (const source of backedUp) {
    if (!isWithin(path, source)) continue;
    for (let folder = parentOf(path); folder !== source && isWithin(folder, source); folder = parentOf(folder)) {
      if (!isLink(fileSystemPath(folder))) continue;
      throw new HoldfastError('target_unwritable', { target: folder, reason: 'ELOOP' });
    }
  }
}

function originalOf(base: RestoreBase, isSource: boolean): Original {
  const given = fileSystemPath(wholeDiskOf(base.path) ?? base.path);
  if (typeof given !== 'string') return originalInBytes(base);
  if (!isAbsolute(given)) throw new HoldfastError('target_unwritable', { target: given, reason: 'EINVAL' });
  const path = isSource ? endOfLink(given) : given;
  const { root } = parse(path);
  if (join(path, '.') === join(root, '.')) {
    const place = placeAt(root);
    return { base, folder: place.path, inside: [], name: '', place };
  }
  const parent = placeAt(dirname(path));
  const name = path.slice(dirname(path).length).replace(/^[/\\]/, '');
  const own = join(parent.path, name);
  // Only what is inside of an existing folder is written. A link that has taken its place is not followed.
  return { base, folder: parent.path, inside: [], name, place: isFolder(own) ? placeAt(own) : parent };
}

/** The path of a target is text: folders with other names are entered from the deepest one that is. */
function originalInBytes(base: RestoreBase): Original {
  const segments = base.path.split('/');
  const first = segments.findIndex((segment) => typeof fileSystemPath(segment) !== 'string');
  const place = placeAt(segments.slice(0, first).join('/') || '/');
  return { base, folder: place.path, inside: segments.slice(first, -1), name: segments.at(-1)!, place };
}

/** Returns where a link leads, and any other path as it is. @throws HoldfastError `target_unwritable` if nothing is there */
function endOfLink(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    throw new HoldfastError(
      'target_unwritable',
      { target: path, reason: systemCodeOf(error) ?? 'EIO' },
      { cause: error },
    );
  }
}

/** Returns the root of a file system, which a base has without its slash; `undefined` for another path. Windows has no `/`. */
function wholeDiskOf(path: string): string | undefined {
  if (process.platform === 'win32') return /^[A-Za-z]:$/.test(path) ? `${path}/` : undefined;
  return path === '' ? '/' : undefined;
}

function isFolder(path: string): boolean {
  return foundAt(path)?.isDirectory() ?? false;
}

function isLink(path: string | Buffer): boolean {
  return foundAt(path)?.isSymbolicLink() ?? false;
}

/** Returns `undefined` also where the system does not tell. */
function foundAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

function commonFolder(folders: readonly string[]): string {
  let [common = parse(process.cwd()).root] = folders;
  for (const folder of folders) {
    while (!isInside(folder, common)) {
      const above = dirname(common);
      if (above === common) throw new HoldfastError('target_unwritable', { target: folder, reason: 'EXDEV' });
      common = above;
    }
  }
  return common;
}
