import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { nameOf, parentOf } from '../../../model/entry-path.ts';
import { fileBeginsWith } from '../../../os/filesystem/file-beginning.ts';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';

/** Returns whether an entry is what a rule means, and not a person's own of the same name. @param path entry path */
export type Sign = (path: string) => boolean;

/** The mark of a folder that a program can fill again (https://bford.info/cachedir/). */
export const CACHE_TAG = 'CACHEDIR.TAG';

/** The specification demands these 43 bytes at the beginning of an ordinary file. What follows is for people. */
const TAG_SIGNATURE = Buffer.from('Signature: 8a477f597d28d172789f06886806bc55');

/** The beginning of a compound file, as Windows stores thumbnails. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Returns whether a folder has a valid `CACHEDIR.TAG`. */
export function isTaggedCache(folder: string): boolean {
  return fileBeginsWith(fileSystemPath(inFolder(folder, CACHE_TAG)), TAG_SIGNATURE);
}

/** The file is a compound file. */
export function isCompoundFile(path: string): boolean {
  return fileBeginsWith(fileSystemPath(path), COMPOUND_FILE);
}

/** The entry has one of these beside it. */
export function beside(...names: readonly string[]): Sign {
  return (path) => names.some((name) => exists(inFolder(parentOf(path), name)));
}

/** The folder has this in it. */
export function inside(name: string): Sign {
  return (path) => exists(inFolder(path, name));
}

/** The folder is in one of this name. */
export function within(name: string): Sign {
  return (path) => nameOf(parentOf(path)) === name;
}

/** The same name with another extension is beside the file. */
export function sameName(...extensions: readonly string[]): Sign {
  return (path) => extensions.some((extension) => exists(path.slice(0, path.lastIndexOf('.')) + extension));
}

/** The entry is at the top of a disk. */
export function atTopOfDisk(path: string): boolean {
  const folder = parentOf(path);
  if (folder === '' || /^[A-Za-z]:$/.test(folder)) return true;
  const device = deviceOf(folder);
  return device !== undefined && device !== deviceOf(parentOf(folder) || '/');
}

/** Returns whether the system does not let the user of this process list a folder. */
export function closed(path: string): boolean {
  try {
    accessSync(fileSystemPath(path), constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

function exists(path: string): boolean {
  return existsSync(fileSystemPath(path));
}

function deviceOf(folder: string): number | undefined {
  return lstatSync(fileSystemPath(folder), { throwIfNoEntry: false })?.dev;
}

function inFolder(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
