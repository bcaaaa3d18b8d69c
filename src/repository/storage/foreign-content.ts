import { KEYS_FOLDER } from '../format/file-names.ts';
import type { Storage } from './storage.ts';
import { UNFINISHED } from './stored-name.ts';

/** Beginnings of names that systems create in every folder or disk. */
const HARMLESS = [
  '.DS_Store',
  '.Spotlight-',
  '.Trash',
  '.fseventsd',
  'Thumbs.db',
  'desktop.ini',
  'lost+found',
  'System Volume Information',
  '$RECYCLE.BIN',
  UNFINISHED,
];

/** Omits what systems create by themselves from the names in a folder. */
export function withoutHarmless(names: readonly string[]): readonly string[] {
  return names.filter((name) => !HARMLESS.some((beginning) => name.startsWith(beginning)));
}

/**
 * Returns whether a store without a repository holds something else. Key envelopes, and the file of a trial, are what an interrupted
 * creation left. A bucket is never occupied: what else is in it has other names.
 *
 * @throws what the storage throws
 */
export async function isOccupied(storage: Storage, signal?: AbortSignal): Promise<boolean> {
  const names = (await storage.rootNames?.(signal)) ?? [];
  return withoutHarmless(names).some((name) => `${name}/` !== KEYS_FOLDER);
}
