import { isHoldfastError } from '../base/errors/errors.ts';
import { isWithin } from '../model/entry-path.ts';
import type { DamageProblem } from '../format/repository/damage.ts';

/** Why a store does not show what it lists: its disk fails to read it, or it does not permit that. */
export type UnreadableProblem = 'unreadable' | 'denied';

/** Returns whether a problem is that of a name which a store does not show. */
export function isUnreadableProblem(problem: DamageProblem): problem is UnreadableProblem {
  return problem === 'unreadable' || problem === 'denied';
}

/**
 * Receives the name of a folder or a file that a listing had to leave out.
 *
 * @param error of the store. Throwing it ends the listing
 */
export type OnUnreadable = (name: string, problem: UnreadableProblem, error: unknown) => void;

/** For a listing that can do without what is not shown, as if it was not there. A check names it. */
export const leaveOut: OnUnreadable = () => undefined;

/** What listings could not show: folders, and files whose length they could not find out. */
export class UnlistedFiles {
  readonly problems = new Map<string, UnreadableProblem>();

  readonly add: OnUnreadable = (name, problem) => {
    this.problems.set(name, problem);
  };

  /** Returns why a file may be there although no listing shows it: its own problem, or that of a folder above it. */
  problemOf(file: string): UnreadableProblem | undefined {
    for (const [name, problem] of this.problems) if (isWithin(file, name)) return problem;
    return undefined;
  }
}

const PROBLEMS: ReadonlyMap<string, UnreadableProblem> = new Map([
  // What systems and servers answer that permit one name less than others.
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['PERMISSION_DENIED', 'denied'],
  // A bad sector, over SFTP as well, and the two by which Linux says that a checksum of the file system is wrong, which Node does not know.
  ['EIO', 'unreadable'],
  ['cut-off', 'unreadable'],
  ['status 4', 'unreadable'],
  ['Unknown system error -74', 'unreadable'],
  ['Unknown system error -117', 'unreadable'],
]);

/** What systems respond where a folder should be: something else has its name. */
const OBSTRUCTED: ReadonlySet<string | undefined> = new Set(['ENOTDIR', 'ELOOP', 'EEXIST']);

/** Returns whether a file could not be written because of the folder that it was for: another one of the same store may do. */
export function isOfOneFolder(error: unknown): boolean {
  if (unreadableProblem(error) !== undefined) return true;
  return isHoldfastError(error, 'destination_unwritable') && OBSTRUCTED.has(error.details.problem);
}

/** Returns what is wrong with one file or folder that was to be read; `undefined` for a failure of the whole store. */
export function unreadableProblem(error: unknown): UnreadableProblem | undefined {
  if (isHoldfastError(error, 'permission_denied')) {
    return 'reason' in error.details && error.details.reason === 'authentication' ? undefined : 'denied';
  }
  return isHoldfastError(error, 'destination_unwritable') ? PROBLEMS.get(error.details.problem ?? '') : undefined;
}
