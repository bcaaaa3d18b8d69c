import type { Repository } from '../repository.ts';

/**
 * Returns whether restore points may be removed: the projection holds what the ledgers state, and no file of the repository is
 * known to be damaged or missing. A projection that is damaged is built anew.
 */
export async function mayRemove(repository: Repository, signal: AbortSignal | undefined): Promise<boolean> {
  const { projection } = repository;
  if (!projection.isUndamaged()) await repository.rebuild(signal);
  return isWhole(repository);
}

/** Returns whether no file is known to be damaged or missing, other than those that a repair gave up. */
export function isWhole({ projection }: Repository): boolean {
  return projection.ledgers.damage().every(({ isAccepted }) => isAccepted);
}
