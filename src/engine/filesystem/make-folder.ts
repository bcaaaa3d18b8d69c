import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';

/**
 * Makes a folder and the folders above it where they are missing. Throws system errors.
 *
 * Node's own `recursive` never comes back where a folder that is there says of a new one in it that there is no such
 * thing, as /proc does.
 */
export function makeFolderSync(path: string, mode: number = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isDirectory(path)) return;
    const parent = dirname(path);
    if (systemCodeOf(error) !== 'ENOENT' || parent === path || isDirectory(parent)) throw error;
    makeFolderSync(parent, mode);
    mkdirSync(path, { mode });
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
