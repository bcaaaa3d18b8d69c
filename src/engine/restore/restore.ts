import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import type { RestoreDependencies, RestoreReport, RestoreRequest } from './types.ts';

/**
 * Restores a set, or some paths of it, as it stood at a time, into a folder.
 *
 * Files that fail are named in the report and the others go on. What stops a restore before it writes is thrown:
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `target_conflict`
 *   (details `{target, conflicts, total}`), `target_inside_source` (`{target, source}`), `target_unwritable`
 *   (`{target, reason}`), `target_full` (`{target, needed, free}`), `tree_invalid`, `interrupted`, and what the
 *   service throws
 */
export function runRestore(
  request: RestoreRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<RestoreReport> {
  return Promise.reject(new Error(`not built yet: ${request.to} ${deps.scratch} ${String(options.signal)}`));
}
