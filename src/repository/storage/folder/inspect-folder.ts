import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { DESCRIPTION_FILE } from '../../format/file-names.ts';

/** `free`: empty but for files that systems create by themselves. `occupied`: it has other content. */
export type FolderUse = 'missing' | 'free' | 'repository' | 'occupied';

/** Beginnings of names that systems create in every folder or disk. */
const HARMLESS = [
  '.DS_Store',
  '.Spotlight-',
  '.Trash',
  '.fseventsd',
  'Thumbs.db',
  'desktop.ini',
  'lost+found',
  '.tmp-',
];

/** Finds out what a folder is used for. @throws system errors other than a missing folder */
export async function inspectFolder(directory: string): Promise<FolderUse> {
  try {
    const names = await readdir(directory);
    if (names.includes(DESCRIPTION_FILE)) {
      await readFile(join(directory, DESCRIPTION_FILE));
      return 'repository';
    }
    return names.every((name) => HARMLESS.some((beginning) => name.startsWith(beginning))) ? 'free' : 'occupied';
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 'missing';
    throw error;
  }
}
