import { z } from 'zod';

/**
 * Paths of the interface: absolute, `/` between segments on every OS, Unicode as the file system gave it and not
 * normalised. `/home/anna/a.txt`, `C:/Users/anna/a.txt`. No segment is empty, `.` or `..`.
 */
export const entryPath = z
  .string()
  .refine(isEntryPath, 'expected an absolute path without empty, "." or ".." segments');

/** Everything that Holdfast stores for itself stands below this prefix, as ordinary file entries. */
export const RESERVED_PREFIX = '/.holdfast';
export const TREE_PATH = '/.holdfast/tree';
export const KEYS_PATH = '/.holdfast/keys';

const WINDOWS_DRIVE = /^[A-Za-z]:$/;

export function isEntryPath(path: string): boolean {
  if (path.includes('\0')) return false;
  const segments = path.split('/');
  const first = segments.shift();
  if (first === undefined || (first !== '' && !WINDOWS_DRIVE.test(first))) return false;
  return segments.length > 0 && segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

export function isReservedPath(path: string): boolean {
  return isWithin(path, RESERVED_PREFIX);
}

/** Whole segments: `/a/b` holds `/a/b` and `/a/b/c`, not `/a/bc`. `""` and `/` hold everything. */
export function isWithin(path: string, prefix: string): boolean {
  const directory = withoutTrailingSlash(prefix);
  return directory === '' || path === directory || (path.startsWith(directory) && path[directory.length] === '/');
}

/** The directory that holds `path`; `''` for an entry directly below the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A directory prefix in its one canonical spelling: no slash at the end, the root is `''`. */
export function withoutTrailingSlash(prefix: string): string {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === '/') end -= 1;
  return prefix.slice(0, end);
}

/**
 * The order of manifests and trees: depth first, names by their UTF-8 bytes, so that `/` sorts below every byte of a
 * name. It is the order in which a walk that sorts each directory meets its entries.
 *
 * JavaScript compares UTF-16 code units, which disagrees with UTF-8 only where a surrogate meets U+E000–U+FFFF.
 */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return orderOf(x) - orderOf(y);
  }
  return a.length - b.length;
}

function orderOf(codeUnit: number): number {
  if (codeUnit === 0x2f) return -1;
  if (codeUnit < 0xd800) return codeUnit;
  // Surrogates stand for code points above U+FFFF, so they go behind the rest of the basic plane.
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}

/**
 * A string whose plain byte order (SQLite's BINARY, PostgreSQL's "C") is `comparePaths`: `/` becomes U+0001, the lowest
 * that a database takes. The two characters in its way, legal in file names, are written as U+0002 and a mark, so that
 * U+0001 stands for nothing but a separator.
 */
export function pathSortKey(path: string): string {
  return path.replace(KEY_SPECIAL, (character) => KEY_CODES.get(character)!);
}

/** The path of which `pathSortKey` made the key. */
export function pathOfSortKey(key: string): string {
  return key.replace(KEY_ESCAPED, (code) => KEY_CHARACTERS.get(code) ?? code);
}

const KEY_CODES: ReadonlyMap<string, string> = new Map([
  ['/', '\u0001'],
  ['\u0001', '\u0002\u0003'],
  ['\u0002', '\u0002\u0004'],
]);
const KEY_CHARACTERS: ReadonlyMap<string, string> = new Map(
  [...KEY_CODES].map(([character, code]) => [code, character]),
);
// oxlint-disable-next-line no-control-regex -- both are legal in file names
const KEY_SPECIAL = /[/\u0001\u0002]/g;
// oxlint-disable-next-line no-control-regex -- see above
const KEY_ESCAPED = /\u0001|\u0002./gs;
