import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { targetPath } from '../../input/local-path.ts';
import { inspectFolder, type FolderUse } from '../../../storage/folder/inspect-folder.ts';

/** Names of the folder for backups within a folder with other content. */
const OWN_NAMES = ['Holdfast', 'holdfast'] as const;

export interface BackupFolder {
  readonly folder: string;
  readonly use: FolderUse;
}

/**
 * Returns the folder for backups when a person chooses a folder: the one with backups in it, or its `Holdfast`; the folder
 * itself if it is empty or missing; otherwise a new `Holdfast` in it, as on a disk with other content, which is
 * `occupied` if it has other content too.
 *
 * @throws system errors
 */
export async function backupFolderIn(path: string): Promise<BackupFolder> {
  const folder = targetPath(path);
  const use = await inspectFolder(folder);
  if (use === 'repository' || use === 'undescribed' || use === 'missing') return { folder, use };
  for (const name of OWN_NAMES) {
    const own = join(folder, name);
    const ownUse = await inspectFolder(own);
    if (ownUse === 'repository' || ownUse === 'undescribed') return { folder: own, use: ownUse };
  }
  if (use === 'free' && !(await isMountPoint(folder))) return { folder, use };
  const own = join(folder, OWN_NAMES[0]);
  return { folder: own, use: await inspectFolder(own) };
}

/** Backups are never stored directly in the root of a disk. */
async function isMountPoint(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  if (parent === folder) return true;
  const [inside, outside] = await Promise.all([stat(folder), stat(parent)]);
  return inside.dev !== outside.dev;
}
