import { HoldfastError } from '../../base/errors/errors.ts';
import type { Repository } from '../repository.ts';
import type { Storage } from '../../storage/storage.ts';
import { extendLocks } from './extend-locks.ts';

/** @throws HoldfastError `usage` `bucket-without-locks` if the store cannot lock files; what it throws */
export async function requireLocks({ locks, address }: Storage, signal?: AbortSignal): Promise<void> {
  if (locks && (await locks.isSupported(signal))) return;
  throw new HoldfastError('usage', { problem: 'bucket-without-locks', bucket: address });
}

/**
 * Begins to lock the files of a repository: states a minimum retention for all of it, which every computer then follows, and locks what is
 * there. A longer one stays.
 *
 * @throws what the storage throws
 */
export async function beginLocks(repository: Repository, days: number, signal?: AbortSignal): Promise<void> {
  const { points } = repository.projection;
  await repository.refreshForWriting(signal);
  await repository.append(() => {
    const { all } = points.minimumDays({ device: '', set: '' });
    return all >= days ? undefined : [{ kind: 'minimum', device: null, set: null, days }];
  }, signal);
  await repository.refresh(signal);
  await extendLocks(repository, signal);
}
