import { HoldfastError, isHoldfastError, systemCodeOf } from '../../../base/errors/errors.ts';

/** A disk that fails, or was unplugged. */
const FAILING = new Set(['EIO', 'ENXIO', 'ENODEV', 'ENOMEDIUM', 'ESTALE']);
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Converts a failed system call on a destination. Errors that are no system errors remain as they are.
 *
 * @param isPresent whether the destination's folder is still there; an unplugged disk rarely states that it is missing
 */
export function asFolderError(error: unknown, directory: string, isPresent: boolean): unknown {
  const problem = systemCodeOf(error);
  if (problem === undefined || problem.startsWith('ERR_') || isHoldfastError(error)) return error;
  // Also Node's AbortError has a code.
  if (problem === 'ABORT_ERR') return error;
  if (!isPresent) {
    const failing = FAILING.has(problem) ? ({ problem: 'failing' } as const) : {};
    return new HoldfastError('destination_missing', { directory, ...failing }, { cause: error });
  }
  if (FULL.has(problem)) return new HoldfastError('destination_full', { directory, problem }, { cause: error });
  return new HoldfastError('destination_unwritable', { directory, problem }, { cause: error });
}
