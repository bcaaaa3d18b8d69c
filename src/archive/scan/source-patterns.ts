import { lstatSync } from 'node:fs';
import { nameOf } from '../../model/entry-path.ts';
import { entryPathIn, entryPathOf, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { IGNORE_CASE } from './rules.ts';
import { realSourceOf } from './source-check.ts';
import { userHome } from '../../base/files/user-home.ts';

/** A path of this computer that does not depend on the source. */
const ABSOLUTE = process.platform === 'win32' ? /^(?:[a-z]:\/|\/\/)/i : /^\//;
/** What gitignore gives a meaning of its own. */
const SIGNS = /[\\*?[\]!# ]/g;
const GLOB = /(?<!\\)[*?[]/;
const HOME = /^~\//;

/**
 * Returns a pattern of a set in gitignore syntax relative to one of its sources. People also write the path of what they leave out: from
 * the disk's top, from their home, from `./`, or with the source's own name. In gitignore these match nothing, since every path is relative
 * to the source. Where such a pattern can match something in the source, it keeps that meaning.
 *
 * @param root entry path of the source
 */
export function patternWithin(root: string, pattern: string): string {
  const { sign, body } = partsOf(pattern);
  const rest = restWithin(root, body);
  return rest === undefined ? pattern : `${sign}/${rest}`;
}

/** Returns whether a pattern is certainly meant as a path, and as one in no source, so that it would leave out nothing. */
export function isOutside(pattern: string, roots: readonly string[]): boolean {
  const { body } = partsOf(pattern);
  if (body.trim() === '' || pattern.startsWith('#')) return false;
  const names = namesOf(body);
  if (names.includes('..') || names.length === 0) return body !== '/';
  if (roots.some((root) => restWithin(root, body) !== undefined)) return false;
  if (HOME.test(body)) return !roots.some((root) => exists(entryPathIn(root, '~')));
  if (!ABSOLUTE.test(body)) return false;
  if (process.platform === 'win32') return true;
  // In gitignore it is relative to the source. That of one name, such as /tmp, often is.
  if (roots.some((root) => exists(entryPathIn(root, literal(names[0]!))))) return false;
  const glob = names.findIndex((name) => GLOB.test(name));
  const known = (glob === -1 ? names : names.slice(0, glob)).map(literal);
  const isThere = (depth: number): boolean =>
    known.length >= depth && depth >= 2 && exists(`/${known.slice(0, depth).join('/')}`);
  return isThere(known.length) || isThere(names.length - 1);
}

/** Returns what follows the path of the source; `undefined` for a pattern in gitignore syntax, and for other sources' paths. */
function restWithin(root: string, body: string): string | undefined {
  const names = namesOf(body);
  const folder = body.endsWith('/') ? '/' : '';
  const rest = (from: number): string | undefined =>
    names.length > from ? names.slice(from).join('/') + folder : undefined;
  if (names.includes('..')) return undefined;
  if (body.startsWith('./')) return rest(0);
  if (HOME.test(body) && !exists(entryPathIn(root, '~'))) {
    const home = userHome();
    if (home === undefined) return undefined;
    return restBelow(root, [...namesOf(entryPathOf(home)).map(escaped), ...names.slice(1)], folder);
  }
  if (ABSOLUTE.test(body)) {
    // A source that holds a folder with its own path, as a copy of a disk may.
    return exists(entryPathIn(root, namesOf(root).join('/'))) ? undefined : restBelow(root, names, folder);
  }
  const own = nameOf(root);
  const isOwn = own !== '' && !body.startsWith('/') && isSame(names[0], own) && !exists(entryPathIn(root, own));
  return isOwn ? rest(1) : undefined;
}

function restBelow(root: string, names: readonly string[], folder: string): string | undefined {
  for (const path of [root, realOf(root)]) {
    const above = namesOf(path);
    const isBelow = names.length > above.length && above.every((name, index) => isSame(names[index], name));
    if (isBelow) return names.slice(above.length).join('/') + folder;
  }
  return undefined;
}

function partsOf(pattern: string): { readonly sign: string; readonly body: string } {
  const sign = pattern.startsWith('!') ? '!' : '';
  return { sign, body: pattern.slice(sign.length) };
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function isSame(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined) return false;
  const spellings = [pattern, literal(pattern)];
  return spellings.some((one) => one === name || (IGNORE_CASE && one.toLowerCase() === name.toLowerCase()));
}

function literal(pattern: string): string {
  return pattern.replaceAll(/\\(.)/g, '$1');
}

function escaped(name: string): string {
  return name.replaceAll(SIGNS, String.raw`\$&`);
}

/** Returns where a source leads; itself where it is not there, and has no files to leave out. */
export function realOf(root: string): string {
  try {
    return realSourceOf(root);
  } catch {
    return root;
  }
}

/** Returns whether a path exists. One that cannot be looked at counts as existing. */
function exists(path: string): boolean {
  try {
    return lstatSync(fileSystemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
