import { readdir, readFile, stat } from 'node:fs/promises';
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
    if (await isDescribed(directory, names)) return 'repository';
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

/** Returns whether a description or its copy can be read. @throws the system error if one of them is there and none can be read */
async function isDescribed(directory: string, names: readonly string[]): Promise<boolean> {
  const failures: unknown[] = [];
  for (const name of [DESCRIPTION_FILE, DESCRIPTION_COPY].filter((each) => names.includes(each))) {
    const path = join(directory, name);
    try {
      // A pipe would block, and a folder is no file.
      if (!(await stat(path)).isFile()) continue;
      await readFile(path);
      return true;
    } catch (error) {
      if (!IS_NO_FILE.has(systemCodeOf(error) ?? '')) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return false;
}

/** A link that leads nowhere. */
const IS_NO_FILE = new Set(['ENOENT', 'ELOOP', 'ENOTDIR']);

/** A key envelope is the first file of a repository. */
async function hasOnlyKeys(directory: string): Promise<boolean> {
  const names = await readdir(join(directory, KEYS_FOLDER));
  return names.every((name) => keyHashIn(KEYS_FOLDER + name) !== undefined || name.startsWith(UNFINISHED));
}
