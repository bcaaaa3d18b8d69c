// Paths of entries in a restore point: absolute, with `/` between names on every system (`isEntryPath` of protocol/path.ts). Paths of this
// computer are in local-path.ts.

/** Compares whole segments: `/a/b` contains `/a/b` and `/a/b/c`, but not `/a/bc`. `""` and `/` contain everything. */
export function isWithin(path: string, prefix: string): boolean {
  const directory = withoutTrailingSlash(prefix);
  return directory === '' || path === directory || (path.startsWith(directory) && path[directory.length] === '/');
}

/** Returns the directory of a path; `''` for an entry directly below the root, and for a drive (`C:`). */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the canonical spelling of a directory prefix: without a slash at the end, `''` for the root. */
export function withoutTrailingSlash(prefix: string): string {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === '/') end -= 1;
  return prefix.slice(0, end);
}

/**
 * Compares in the order of manifests and trees: depth first, names by their UTF-8 bytes, `/` below every byte of a name. A walk
 * that sorts each directory visits entries in this order.
 *
 * The order of UTF-16 code units differs from that of UTF-8 only between surrogates and U+E000–U+FFFF.
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
  // Surrogates encode code points above U+FFFF, so they sort after the rest of the basic plane.
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}

/**
 * Converts a path to a string whose byte order (SQLite's BINARY, PostgreSQL's "C") is that of `comparePaths`: `/` becomes
 * U+0001, the lowest character that a database accepts. U+0001 and U+0002, which file names may contain, become U+0002 and a
 * mark.
 */
export function pathSortKey(path: string): string {
  return path.replace(KEY_SPECIAL, (character) => KEY_CODES.get(character)!);
}

/** Reverses `pathSortKey`. */
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
