import { dirname, join } from 'node:path';
import { ScratchProjection } from '../projection/scratch-projection.ts';
import { readLedgers } from '../ledger/read-ledgers.ts';
import type { Repository } from '../repository.ts';

/**
 * While segments are missing, as after an older copy of the repository was put in its place: counts only on packs that the segments
 * which are left name. The files of the others may be gone, too, and other computers do not know them.
 */
export async function distrustUnnamedPacks(repository: Repository, signal?: AbortSignal): Promise<void> {
  const { projection, ledger, id } = repository;
  if (!projection.ledgers.isIncomplete()) return;
  using fresh = new ScratchProjection(join(dirname(ledger.lockFile), 'fresh.sqlite'), id);
  // What was found damaged is not read again.
  for (const { file, problem, foundAt, read } of projection.ledgers.damage()) {
    if (read) fresh.projection.ledgers.recordDamage(file, problem, foundAt, read);
  }
  await readLedgers({ ...ledger, projection: fresh.projection }, signal);
  const unnamed = [...projection.packs.stored()].filter(
    ({ hash, writer }) => writer !== undefined && fresh.projection.packs.numberOf(hash) === undefined,
  );
  projection.change(() => {
    for (const { number } of unnamed) projection.packs.markDamaged(number);
  });
}
