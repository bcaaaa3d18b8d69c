import { HoldfastError, isHoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { foreignFileSystemOf } from '../../os/filesystem/mount-list.ts';

/** A disk that fails, or was unplugged. */
const FAILING = new Set(['EIO', 'ENXIO', 'ENODEV', 'ENOMEDIUM', 'ESTALE']);
/** What file systems of programs and networks respond to what they cannot do, or while what is behind them cannot be reached. */
const UNABLE = new Set([
  ...FAILING,
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPROTO',
  'EREMOTEIO',
  'ENOTCONN',
  'ETIMEDOUT',
  'EHOSTDOWN',
]);
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Converts a failed system call on a destination. Errors that are no system errors remain as they are.
 *
 * @param isPresent whether the destination's folder is still there; an unplugged disk rarely states that it is missing
 */
export function asFolderError(
  error: unknown,
  directory: string,
  isPresent: boolean,
  fileSystemOf: (directory: string) => string | undefined = foreignFileSystemOf,
): unknown {
  const problem = systemCodeOf(error);
  if (problem === undefined || problem.startsWith('ERR_') || isHoldfastError(error)) return error;
  // Also Node's AbortError has a code.
  if (problem === 'ABORT_ERR') return error;
  if (!isPresent) {
    const failing = FAILING.has(problem) ? ({ problem: 'failing' } as const) : {};
    return new HoldfastError('destination_missing', { directory, ...failing }, { cause: error });
  }
  if (FULL.has(problem)) return new HoldfastError('destination_full', { directory, problem }, { cause: error });
  const fileSystem = UNABLE.has(problem) ? fileSystemOf(directory) : undefined;
  const details = { directory, problem, ...(fileSystem === undefined ? {} : { fileSystem }) };
  return new HoldfastError('destination_unwritable', details, { cause: error });
}
