import { DamagedFileError } from '../format/repository/damage.ts';
import type { ByteRange, Storage } from './storage.ts';
import { unreadableProblem } from './unreadable.ts';

/**
 * Reads a file or a part of it. One bad sector, or the rights of one file, is a damage of that file and not of the store.
 *
 * @returns `undefined` if it does not exist
 * @throws DamagedFileError `unreadable`, `denied`; what else the storage throws
 */
export async function readStored(
  storage: Pick<Storage, 'get'>,
  name: string,
  range?: ByteRange,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    return await storage.get(name, range, signal);
  } catch (error) {
    const problem = unreadableProblem(error);
    throw problem === undefined ? error : new DamagedFileError(name, problem, error);
  }
}

/** Reads a file, or a part of it, of which something else has what is in it: one that cannot be read is like one that is not there. */
export function readIfReadable(...words: Parameters<typeof readStored>): Promise<Uint8Array | undefined> {
  return readable(readStored(...words));
}

/** Returns `undefined` also for a file that is damaged. */
export async function readable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  }
}
