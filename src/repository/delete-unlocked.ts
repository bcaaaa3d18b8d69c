import { isHoldfastError } from '../base/errors/errors.ts';
import type { Repository } from './repository.ts';

/**
 * Deletes a file unless the store has locked it. The end of a lock is remembered, and the store is not asked again before.
 *
 * @returns whether it was deleted: false for a file that is locked
 * @throws what the storage throws
 */
export async function deleteUnlocked(
  { storage, projection }: Pick<Repository, 'storage' | 'projection'>,
  name: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { locks } = projection;
  if (storage.locks && locks.until(name) > storage.locks.now()) return false;
  try {
    await storage.delete(name, signal);
    return true;
  } catch (error) {
    const until = isHoldfastError(error, 'permission_denied') ? lockEndIn(error.details) : undefined;
    if (until === undefined) throw error;
    locks.record(name, until);
    return false;
  }
}

function lockEndIn(details: object): number | undefined {
  return 'lockedUntil' in details && typeof details.lockedUntil === 'number' ? details.lockedUntil : undefined;
}
