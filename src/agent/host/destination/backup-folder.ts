import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inspectDirectory, type DirectoryUse } from '../../../service/store/store-directory.ts';

/** Below a folder that is somebody's already, backups lie in one of these names. */
const OWN_NAMES = ['Holdfast', 'holdfast'] as const;

export interface BackupFolder {
  readonly folder: string;
  readonly use: DirectoryUse;
}

/**
 * Where backups go when a person points at a folder: to the backups that are in it or in its `Holdfast`; into the folder
 * itself where it is empty or not there yet; else into a new `Holdfast` in it, as on a disk with other things on it.
 * `occupied` where that is somebody's too. Throws system errors.
 */
export async function backupFolderIn(path: string): Promise<BackupFolder> {
  const folder = resolve(path);
  const use = await inspectDirectory(folder);
  if (use === 'store' || use === 'missing') return { folder, use };
  for (const name of OWN_NAMES) {
    const own = join(folder, name);
    if ((await inspectDirectory(own)) === 'store') return { folder: own, use: 'store' };
  }
  if (use === 'free' && !(await isMountPoint(folder))) return { folder, use };
  const own = join(folder, OWN_NAMES[0]);
  return { folder: own, use: await inspectDirectory(own) };
}

/** The top of a disk stays tidy. */
async function isMountPoint(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  if (parent === folder) return true;
  const [inside, outside] = await Promise.all([stat(folder), stat(parent)]);
  return inside.dev !== outside.dev;
}
