import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';

/**
 * Creates a folder and its missing ancestors. Throws system errors.
 *
 * Node's own `recursive` option loops forever if an existing folder reports ENOENT for a new one in it, as /proc does.
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
