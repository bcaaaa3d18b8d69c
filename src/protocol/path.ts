import { z } from 'zod';
import { isWithin } from '../model/entry-path.ts';

/**
 * An absolute path of the interface: `/` separates segments on every OS, and Unicode is not normalised. Examples:
 * `/home/anna/a.txt`, `C:/Users/anna/a.txt`. No segment is empty, `.` or `..`. Half a surrogate pair is refused: databases and
 * file systems replace it, so two such paths could become one.
 */
export const entryPath = z
  .string()
  .refine(isEntryPath, 'expected an absolute path without empty, "." or ".." segments');

/** A path as a service stores it. */
export const storedPath = z
  .string()
  .refine(isStoredPath, 'expected an absolute path without empty, "." or ".." segments');

/** Prefix of the file entries that Holdfast stores for itself. */
export const RESERVED_PREFIX = '/.holdfast';
export const TREE_PATH = '/.holdfast/tree';
export const KEYS_PATH = '/.holdfast/keys';

const WINDOWS_DRIVE = /^[A-Za-z]:$/;
const WINDOWS_PATH = /^(?:[A-Za-z]:\\|\\\\)./s;
const WINDOWS_PREFIX = /^(?:[A-Za-z]:)?\\/;

export function isEntryPath(path: string): boolean {
  if (path.includes('\0') || !path.isWellFormed()) return false;
  const segments = path.split('/');
  const first = segments.shift();
  if (first === undefined || (first !== '' && !WINDOWS_DRIVE.test(first))) return false;
  return segments.length > 0 && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/**
 * Returns whether a service stores the path: one of ours, or one with `\\` between segments, as agents of others may send it from
 * Windows (`C:\\Users\\anna\\a.txt`, `\\\\server\\share\\a.txt`). The interface gives paths no form. Such a path comes back as it was sent.
 */
export function isStoredPath(path: string): boolean {
  return isEntryPath(path) || (WINDOWS_PATH.test(path) && !path.includes('\0') && path.isWellFormed());
}

/** Returns whether `\\` separates the segments of a path or directory prefix. */
export function hasBackslashes(path: string): boolean {
  return WINDOWS_PREFIX.test(path);
}

export function isReservedPath(path: string): boolean {
  return isWithin(path, RESERVED_PREFIX);
}
