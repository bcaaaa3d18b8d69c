/** `node:path` for tests on Windows: with slashes, as entry paths have them. Windows accepts both. */
import path from 'node:path';

type Make = (...words: string[]) => string;

function slashed(make: Make): Make {
  return (...words) => make(...words).replaceAll('\\', '/');
}

export const dirname = slashed(path.dirname);
export const join = slashed(path.join);
export const normalize = slashed(path.normalize);
export const relative = slashed(path.relative);
export const resolve = slashed(path.resolve);
export const { basename, delimiter, extname, format, isAbsolute, matchesGlob, parse, posix, toNamespacedPath, win32 } =
  path;
export const sep = '/';
// oxlint-disable-next-line import/no-default-export -- as node:path has one
export default { ...path, dirname, join, normalize, relative, resolve, sep };
