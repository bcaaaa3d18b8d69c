import { isHoldfastError } from '../base/errors/errors.ts';
import type { DamageProblem } from '../format/repository/damage.ts';

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
