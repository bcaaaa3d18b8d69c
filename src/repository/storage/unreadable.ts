import { isHoldfastError } from '../../base/errors/errors.ts';
import { DamagedFileError, type DamageProblem } from '../format/damage.ts';
import type { ByteRange, Storage } from './storage.ts';

/** Why a store does not show what it lists: its disk fails to read it, or it does not permit that. */
export type UnreadableProblem = 'unreadable' | 'denied';

/** Returns whether a problem is that of a name which a store does not show. */
export function isUnreadableProblem(problem: DamageProblem): problem is UnreadableProblem {
  return problem === 'unreadable' || problem === 'denied';
}

/** Receives the name of a folder or a file that a listing had to leave out. */
export type OnUnreadable = (name: string, problem: UnreadableProblem) => void;

const PROBLEMS: ReadonlyMap<string, UnreadableProblem> = new Map([
  // What systems and servers answer that permit one name less than others.
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['PERMISSION_DENIED', 'denied'],
  // A bad sector, over SFTP as well, and the two by which Linux says that a checksum of the file system is wrong, which Node does not know.
  ['EIO', 'unreadable'],
  ['status 4', 'unreadable'],
  ['Unknown system error -74', 'unreadable'],
  ['Unknown system error -117', 'unreadable'],
]);

/** Returns what is wrong with one file or folder that was to be read; `undefined` for a failure of the whole store. */
export function unreadableProblem(error: unknown): UnreadableProblem | undefined {
  if (isHoldfastError(error, 'permission_denied')) {
    return 'reason' in error.details && error.details.reason === 'authentication' ? undefined : 'denied';
  }
  return isHoldfastError(error, 'destination_unwritable') ? PROBLEMS.get(error.details.problem ?? '') : undefined;
}

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

/** Returns `undefined` also for a file that is damaged. */
export async function readable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  }
}
