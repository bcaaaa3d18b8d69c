import { isHoldfastError } from '../../base/errors/errors.ts';
import type { Repository } from '../repository.ts';
import { PointCheck } from './check-points.ts';
import { Findings } from './report.ts';

/**
 * Reads chunks that a restore found damaged once more, and marks the copies that are, as a check that reads all data does. Backups
 * no longer count on these copies, and a repair moves their packs aside. Failures of the storage are ignored.
 *
 * @param digests 32 raw bytes each
 * @throws the signal's reason
 */
export async function markDamagedChunks(
  repository: Repository,
  digests: readonly Buffer[],
  signal?: AbortSignal,
): Promise<void> {
  const { packs } = repository.projection;
  const envelopes = new Set(packs.digestsOf('envelope').map((digest) => digest.toString('hex')));
  const check = new PointCheck(repository, new Findings());
  try {
    for (const digest of digests) {
      signal?.throwIfAborted();
      await check.read(digest, envelopes.has(digest.toString('hex')) ? 'envelope' : 'data', signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!isHoldfastError(error)) throw error;
  }
}
