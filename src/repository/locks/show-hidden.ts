import { DAMAGED_FOLDER, hashOf, packHashIn } from '../../format/repository/file-names.ts';
import type { Projection } from '../projection/projection.ts';
import type { Storage } from '../../storage/storage.ts';

/**
 * Returns the files that a store with locks still has although somebody deleted them. Holdfast itself deletes all versions of a file there
 * and hides none.
 *
 * @param projection leaves out packs that a collector has deleted
 * @throws what the storage throws
 */
export async function hiddenFiles(
  { locks }: Storage,
  projection: Projection | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (!locks || !(await locks.isSupported(signal))) return [];
  return (await locks.hidden('', signal)).filter((name) => {
    const hash = packHashIn(name);
    const isDeleted = hash !== undefined && projection?.packs.isDeleted(Buffer.from(hash, 'hex')) === true;
    return !isDeleted && !name.startsWith(DAMAGED_FOLDER);
  });
}

/**
 * Shows hidden files again. Each proves itself when it is read, so whoever hid it gains nothing by having exchanged it.
 *
 * @returns the names of those that are there again
 * @throws what the storage throws
 */
export async function showHidden(storage: Storage, signal?: AbortSignal): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const name of await hiddenFiles(storage, undefined, signal)) {
    signal?.throwIfAborted();
    const isShown = (await storage.locks!.show(name, signal)) || (await restoreVersion(storage, name, signal));
    if (isShown) shown.push(name);
  }
  return shown;
}

/**
 * Makes the version of a file current whose bytes are those of its name, if the store has one.
 *
 * @throws what the storage throws
 */
export async function restoreVersion({ locks }: Storage, name: string, signal?: AbortSignal): Promise<boolean> {
  const hash = /[0-9a-f]{64}$/.exec(name)?.[0];
  if (!locks || hash === undefined || !(await locks.isSupported(signal))) return false;
  return await locks.restore(name, (bytes) => hashOf(bytes) === hash, signal);
}
