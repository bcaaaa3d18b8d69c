import type { Failure } from '../base/errors/failure.ts';
import type { FolderProblem } from '../model/need.ts';

const ACCEPTABLE: ReadonlySet<FolderProblem> = new Set(['not-mounted', 'empty', 'other-disk', 'subvolume']);

/** Returns whether a person can accept a folder as it is: what was in it counts as deleted only then. A folder that is missing is removed from its set instead. */
export function isAcceptable(problem: FolderProblem): boolean {
  return ACCEPTABLE.has(problem);
}

/** Returns the paths of the folders that stopped a backup if a person can accept them as they are. */
export function foldersThatStopped(failure: Failure | undefined): readonly string[] {
  if (failure?.code === 'source_empty') return [failure.details.path];
  if (failure?.code === 'source_unreadable') {
    return failure.details.problem === 'earlier-content' ? [failure.details.path] : [];
  }
  if (failure?.code !== 'source_not_mounted') return [];
  const { details } = failure;
  return details.problem === 'earlier-disks' ? [details.path, ...details.others] : [details.path];
}
