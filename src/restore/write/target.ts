import {
  accessSync,
  constants,
  realpathSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
  lstatSync,
  type Stats,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, parse } from 'node:path';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { syncFileSystemSync } from '../../os/filesystem/durability.ts';
import { makeFolderSync } from '../../os/filesystem/make-folder.ts';
import { isInside } from '../../model/local-path.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { isWithin, parentOf } from '../../model/entry-path.ts';
import { entryPathOf, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import type { RestoreBase } from '../plan/target-names.ts';

/** System errors of a full disk or an exceeded quota. */
export const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** A folder that a restore writes to. */
export interface Place {
  /** Real path, even if it does not exist yet. */
  readonly path: string;
  readonly exists: boolean;
  /** The deepest existing folder on the path. */
  readonly deepest: string;
}

/** The folder that has everything that a restore writes. */
export interface Target extends Place {
  /** The folders in which it creates something: the target folder, or those of the original places. */
  readonly places: readonly Place[];
}

/**
 * Resolves a target without touching it.
 *
 * @throws HoldfastError `target_unwritable` (details `{target, reason}`), `target_inside_source` (`{target, source}`)
 */
export function resolveTarget(to: string, sourceRoots: readonly string[]): Target {
  if (!isAbsolute(to)) throw wrongUsage({ problem: 'target-relative', target: to, expected: 'absolute path' });
  const deepest = deepestExisting(to);
  const path = join(deepest.real, deepest.rest);
  for (const source of sourceRoots) {
    // Everything is inside a whole disk: nothing could be restored.
    if (dirname(source) === source) continue;
    if (isInside(path, realPathOr(source))) throw new HoldfastError('target_inside_source', { target: to, source });
  }
  const place = placeAt(to, deepest);
  return { ...place, places: [place] };
}

/** @throws HoldfastError `target_unwritable` if something else than a folder is there */
export function placeAt(to: string, deepest = deepestExisting(to)): Place {
  const { real, rest } = deepest;
  if (!statSync(real).isDirectory()) throw unwritable(to, 'ENOTDIR');
  return { path: join(real, rest), exists: rest === '', deepest: real };
}

function deepestExisting(to: string): { readonly real: string; readonly rest: string } {
  let path = to;
  for (;;) {
    try {
      return { real: realpathSync(path), rest: relative(path, to) };
    } catch (error) {
      const code = systemCodeOf(error);
      if (code !== 'ENOENT' || dirname(path) === path) throw unwritable(to, code ?? 'EIO', error);
      path = dirname(path);
    }
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * @param needed bytes that are going to be written
 * @throws HoldfastError `target_full` with details `{target, needed, free}`
 */
export function checkSpace(target: Target, needed: number): void {
  const devices = new Set(target.places.map(({ deepest }) => statSync(deepest).dev));
  // What each of several file systems gets is not known: writing to a full one fails, file by file.
  if (devices.size > 1) return;
  const { bavail, bsize, blocks } = statfsSync(target.places[0]?.deepest ?? target.deepest);
  // Some network file systems do not report their size.
  if (blocks === 0) return;
  const free = bavail * bsize;
  if (needed > free) throw new HoldfastError('target_full', { target: target.path, needed, free });
}

/**
 * Checks the target's permissions without writing.
 *
 * @throws HoldfastError `target_unwritable`
 */
export function checkWritable({ path, deepest }: Target): void {
  try {
    accessSync(deepest, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/**
 * Creates the target folder if it does not exist.
 *
 * @throws HoldfastError `target_unwritable`, `target_full`
 */
export function createTarget({ path }: Target): void {
  try {
    makeFolderSync(path);
  } catch (error) {
    throw writeError(path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/** Returns the path, or the deepest folder above it that exists. */
export function existingFolder(path: string): string {
  let folder = path;
  while (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return folder;
}

/**
 * Creates the target folder if it does not exist, and writes a probe to it.
 *
 * @throws HoldfastError `target_unwritable`, `target_full`
 */
export function openForWriting(target: Target, probeName: string): void {
  createTarget(target);
  const probe = join(target.path, probeName);
  try {
    writeFileSync(probe, 'x', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
  } catch (error) {
    throw writeError(target.path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/** Flushes the target's file system. Runs in a worker thread; returns the operating system's error code if it fails. */
export function syncTarget({ path }: { readonly path: string }): TaskAnswer<string | undefined> {
  try {
    syncFileSystemSync(path);
    return { value: undefined };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return { value: code };
  }
}

/** @param code the operating system's */
export function writeError(target: string, code: string, cause?: unknown): HoldfastError {
  return FULL_CODES.has(code)
    ? new HoldfastError('target_full', { target }, { cause })
    : unwritable(target, code, cause);
}

function unwritable(target: string, reason: string, cause?: unknown): HoldfastError {
  return new HoldfastError('target_unwritable', { target, reason }, { cause });
}

/** The folders to which a restore to the original places writes. */
interface OriginalPlaces {
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
  /** Real path of the folder that contains the base. */
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
