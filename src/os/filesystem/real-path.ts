import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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

/**
 * Returns an absolute path with the letters in the case in which the disk has its names, as far as it exists: programs of Windows and macOS find
 * a path in any case, and what is compared with it has to be spelled alike. Links and other names of drives stay.
 */
export function spelledAsOnDisk(path: string, platform = process.platform): string {
  if (platform !== 'win32' && platform !== 'darwin') return path;
  const parent = dirname(path);
  // A drive, a share or `/`.
  if (parent === path) return path.replace(/^[a-z]:/, (drive) => drive.toUpperCase());
  const folder = spelledAsOnDisk(parent, platform);
  return join(folder, spellingIn(folder, basename(path)));
}

function spellingIn(folder: string, name: string): string {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return name;
  }
  if (names.includes(name)) return name;
  const folded = foldedName(name);
  return names.find((other) => foldedName(other) === folded) ?? name;
}

function foldedName(name: string): string {
  return name.normalize().toLowerCase();
}
