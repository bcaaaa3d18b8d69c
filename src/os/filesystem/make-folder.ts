import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { giveFolderToSync, ownerToKeep } from '../../base/files/keep-owner.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { syncFolderSync } from './durability.ts';

/**
 * Creates a folder and its missing ancestors. Throws system errors.
 *
 * Node's own `recursive` option loops forever if an existing folder reports ENOENT for a new one in it, as /proc does.
 */
export function makeFolderSync(path: string): void {
  makeMissingSync(path, (folder) => mkdirSync(folder));
}

/** Like `makeFolderSync`, for a folder that its owner alone uses. One that root makes belongs to the owner of the folder around it. */
export function makePrivateFolderSync(path: string): void {
  makeMissingSync(path, (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    giveFolderToSync(folder, ownerToKeep(dirname(folder)));
  });
}

function makeMissingSync(path: string, make: (path: string) => void): void {
  try {
    make(path);
  } catch (error) {
    if (isDirectory(path)) return;
    const parent = dirname(path);
    if (systemCodeOf(error) !== 'ENOENT' || parent === path || isDirectory(parent)) throw error;
    makeMissingSync(parent, make);
    make(path);
  }
}

/**
 * Creates a private folder and its missing ancestors on disk: a power loss would otherwise take the folder, with all that was synced in it.
 * One that exists may be of a process that was killed before it could sync. Throws system errors.
 */
export function makeDurableFolderSync(path: string): void {
  const parent = dirname(path);
  if (parent === path) return;
  if (!isDirectory(path)) {
    makeDurableFolderSync(parent);
    makePrivateFolderSync(path);
  }
  syncFolderSync(parent);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
