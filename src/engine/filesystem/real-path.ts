import { realpathSync } from 'node:fs';
import platformPath, { basename, dirname, join, resolve } from 'node:path';

/**
 * Returns whether `path` is `folder` or lies within it. Both are absolute.
 *
 * @param rules the syntax of the paths
 */
export function isInside(path: string, folder: string, rules = platformPath): boolean {
  const way = rules.relative(folder, path);
  // Paths on two drives have no relative path.
  return way === '' || (way !== '..' && !way.startsWith(`..${rules.sep}`) && !rules.isAbsolute(way));
}

/** Resolves the links of a path, as far as the path exists. */
export function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPathOf(parent), basename(absolute));
  }
}
