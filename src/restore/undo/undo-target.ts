import { realpathSync, rmdirSync } from 'node:fs';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { HoldfastError, isHoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { syncFileSystemSync } from '../../os/filesystem/durability.ts';
import { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { Folder } from '../../os/filesystem/folder.ts';
import type { RecordedRestore } from '../record/recorded-forms.ts';

/** @throws HoldfastError `target_unwritable` if the folder is gone */
export function openTarget(target: string): FolderWalk {
  try {
    // A link that has taken the folder's place leads elsewhere.
    const written = withOwnSeparators(target);
    if (!isAbsolute(target) || normalize(target) !== written || realpathSync(target) !== written) throw gone(target);
    return new FolderWalk(Folder.open(target));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined || isHoldfastError(error)) throw error;
    throw new HoldfastError('target_unwritable', { target, reason: code }, { cause: error });
  }
}

/** Windows takes slashes, too, and answers with its own. */
function withOwnSeparators(path: string): string {
  return sep === '/' ? path : path.replaceAll('/', sep);
}

function gone(target: string): HoldfastError {
  return new HoldfastError('target_unwritable', { target, reason: 'ENOENT' });
}

/** Removes the folders that lead to the places if the restore made them and nothing is in them. */
export function removeMadeTarget({ target, deepest }: RecordedRestore): void {
  for (let path = target; path !== deepest && path.startsWith(deepest); path = join(path, '..')) {
    try {
      rmdirSync(path);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return;
    }
  }
}

export function syncTarget(target: string): void {
  try {
    syncFileSystemSync(target);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}
