import { HoldfastError } from '../base/errors/errors.ts';
import {
  DESCRIPTION_COPY,
  DESCRIPTION_FILE,
  KEYS_FOLDER,
  LEDGER_FOLDER,
  PACKS_FOLDER,
} from '../format/repository/file-names.ts';
import { isSystemName } from '../os/filesystem/names/system-names.ts';
import type { Storage } from './storage.ts';
import { UNFINISHED } from './stored-name.ts';

/** Omits what systems create by themselves from the names in a folder. */
export function withoutHarmless(names: readonly string[]): readonly string[] {
  return names.filter((name) => !isSystemName(name) && !name.startsWith(UNFINISHED));
}

/**
 * Returns whether the names in a store are those of backups, of which nothing says any more what they are.
 *
 * @param names of files and folders
 */
export function looksLikeBackups(names: readonly string[]): boolean {
  const has = (folder: string): boolean => names.includes(folder.slice(0, -1));
  return has(PACKS_FOLDER) && (has(LEDGER_FOLDER) || has(KEYS_FOLDER));
}

/** Says what is in a place without a repository. Backups that nothing describes must not look as if they were not there. */
export function foreignContent(directory: string, isUndescribed: boolean, cause?: unknown): HoldfastError {
  return isUndescribed
    ? new HoldfastError('destination_missing', { directory, problem: 'undescribed' }, { cause })
    : new HoldfastError('usage', { problem: 'destination-foreign', directory }, { cause });
}

/**
 * Refuses a store without a repository that holds something else. Key envelopes, and the file of a trial, are what an interrupted
 * creation left. A bucket is never occupied: what else is in it has other names.
 *
 * @throws HoldfastError `usage` `destination-foreign`, `destination_missing` `undescribed`; what the storage throws
 */
export async function refuseOccupied(storage: Storage, signal?: AbortSignal): Promise<void> {
  const names = (await storage.rootNames?.(signal)) ?? [];
  // Somebody else has created one meanwhile.
  if (names.includes(DESCRIPTION_FILE) || names.includes(DESCRIPTION_COPY)) return;
  if (withoutHarmless(names).every((name) => `${name}/` === KEYS_FOLDER)) return;
  throw foreignContent(storage.address, looksLikeBackups(names));
}
