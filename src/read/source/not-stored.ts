import type { RunWarning } from '../../jobs/run-warning.ts';
import { isWithin } from '../../model/entry-path.ts';

/**
 * The reason of a warning in a tree: what is at its path could not be read when the restore point was made, at a destination that had no version of
 * it. The restore point is without it, although nobody deleted it.
 */
export const NOT_STORED = 'not-stored';

/** Returns the warnings of a tree about what it is without, of the requested paths; of all if there are none. */
export function notStoredIn(warnings: readonly RunWarning[], paths: readonly string[]): readonly RunWarning[] {
  const isRequested = (path: string): boolean =>
    paths.length === 0 || paths.some((wanted) => isWithin(path, wanted) || isWithin(wanted, path));
  return warnings.filter(({ path, reason }) => reason === NOT_STORED && isRequested(path));
}
