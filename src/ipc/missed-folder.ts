import type { Failure } from '../base/errors/failure.ts';
import type { FolderProblem } from './state.ts';

const ACCEPTABLE: ReadonlySet<FolderProblem> = new Set(['not-mounted', 'empty', 'other-disk']);

/** Returns whether a person can accept a folder as it is: what was in it counts as deleted only then. A folder that is missing is removed from its set instead. */
export function isAcceptable(problem: FolderProblem): boolean {
  return ACCEPTABLE.has(problem);
}

/** Returns the path of the folder that stopped a backup if a person can accept it as it is. */
export function missedFolderOf(failure: Failure | undefined): string | undefined {
  const isMissed = failure?.code === 'source_not_mounted' || failure?.code === 'source_empty';
  return isMissed ? failure.details.path : undefined;
}
