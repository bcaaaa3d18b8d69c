import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { syncFolderSync } from './durability.ts';

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

/**
 * Creates a folder and its missing ancestors on disk: a power loss would otherwise take the folder, with all that was synced in it.
 * One that exists may be of a process that was killed before it could sync. Throws system errors.
 */
export function makeDurableFolderSync(path: string, mode: number = 0o777): void {
  const parent = dirname(path);
  if (parent === path) return;
  if (!isDirectory(path)) {
    makeDurableFolderSync(parent, mode);
    makeFolderSync(path, mode);
  }
  syncFolderSync(parent);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
