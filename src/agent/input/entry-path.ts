import { resolve } from 'node:path';
import { expandedHome } from './local-path.ts';
import { entryPathGiven, entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import { realPathOf, spelledAsOnDisk } from '../../os/filesystem/real-path.ts';
import { isEntryPath } from '../../protocol/path.ts';
import { isWithin, withoutTrailingSlash } from '../../model/entry-path.ts';
import { wrongUsage } from '../../base/errors/errors.ts';

/**
 * Parses an entry path: one as `ls` shows it (of any operating system), or a path relative to the working directory.
 * Returns `''` for everything.
 *
 * @param roots those of the set, on this computer. A path to which one of them leads by links is understood as well: a working directory is such a path
 * @throws HoldfastError `usage`
 */
export function givenEntryPath(text: string, roots: readonly string[] = []): string {
  return throughLinks(parse(text), roots.map(entryPathOf));
}

function throughLinks(path: string, roots: readonly string[]): string {
  if (path === '' || roots.some((root) => isWithin(path, root))) return path;
  for (const root of roots) {
    const real = entryPathOf(realPathOf(root));
    if (real !== root && isWithin(path, real)) return root + path.slice(real.length);
  }
  return path;
}

function parse(text: string): string {
  const slashed = slashesOf(text);
  const path = withoutTrailingSlash(slashed);
  if (path === '' && slashed !== '') return '';
  if (path !== '' && (isEntryPath(path) || isDrive(path, slashed))) return path;
  const resolved = withoutTrailingSlash(entryPathGiven(spelledAsOnDisk(resolve(expandedHome(path)))));
  if (resolved !== '' && !isEntryPath(resolved) && !DRIVE.test(resolved)) {
    throw wrongUsage({ problem: 'path-escape', path: text });
  }
  return resolved;
}

/** A whole drive of Windows, `D:\\`, is the folder of what is in it. */
const DRIVE = /^[A-Za-z]:$/;

function isDrive(path: string, given: string): boolean {
  return DRIVE.test(path) && (process.platform === 'win32' || given !== path);
}

/** Parses several paths. An empty result means everything. @throws HoldfastError `usage` */
export function givenEntryPaths(texts: readonly string[], roots: readonly string[] = []): readonly string[] {
  return texts.map((text) => givenEntryPath(text, roots)).filter((path) => path !== '');
}

/** Roots of sets have the letter of their drive in upper case. */
function slashesOf(path: string): string {
  if (process.platform !== 'win32') return path;
  return path.replaceAll('\\', '/').replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}
