import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { DESCRIPTION_COPY, DESCRIPTION_FILE, keyHashIn, KEYS_FOLDER } from '../../format/repository/file-names.ts';
import { looksLikeBackups, withoutHarmless } from '../foreign-content.ts';
import { UNFINISHED } from '../stored-name.ts';

/**
 * `free`: empty but for files that systems create by themselves, and what an interrupted creation left. `occupied`: it has other
 * content. `undescribed`: backups, of which nothing says any more what they are.
 */
export type FolderUse = 'missing' | 'free' | 'repository' | 'undescribed' | 'occupied';

/** Finds out what a folder is used for. @throws system errors other than a missing folder */
export async function inspectFolder(directory: string): Promise<FolderUse> {
  try {
    const names = await readdir(directory);
    const description = [DESCRIPTION_FILE, DESCRIPTION_COPY].find((name) => names.includes(name));
    if (description !== undefined) {
      await readFile(join(directory, description));
      return 'repository';
    }
    const others = withoutHarmless(names);
    if (others.length === 0) return 'free';
    if (looksLikeBackups(others)) return 'undescribed';
    const isInterrupted = others.every((name) => `${name}/` === KEYS_FOLDER) && (await hasOnlyKeys(directory));
    return isInterrupted ? 'free' : 'occupied';
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 'missing';
    throw error;
  }
}

/** A key envelope is the first file of a repository. */
async function hasOnlyKeys(directory: string): Promise<boolean> {
  const names = await readdir(join(directory, KEYS_FOLDER));
  return names.every((name) => keyHashIn(KEYS_FOLDER + name) !== undefined || name.startsWith(UNFINISHED));
}
