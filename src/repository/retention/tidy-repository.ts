import type { Collector } from '../collect/collector.ts';
import type { Fact } from '../../format/repository/facts.ts';
import type { Repository } from '../repository.ts';
import { judgingTime } from './judging-time.ts';
import { removalOf, removablePoints } from './decide-points.ts';
import { extendLocks } from '../locks/extend-locks.ts';
import { isWhole, mayRemove } from '../collect/removal-guard.ts';
import { DAY, MINUTE } from '../../model/units.ts';

const ASKED_EVERY = 10 * MINUTE;

/**
 * Does what is due once a day: extends the locks of files, removes the restore points of this device's sets that their policies drop, and collects chunks, the first
 * time a day after this computer began to use the repository.
 *
 * @throws what the storage throws; a damaged tree
 */
export async function tidyRepository(
  repository: Repository,
  collector: Collector,
  signal?: AbortSignal,
): Promise<void> {
  const { projection, clock } = repository;
  const { maintenance } = projection;
  if (maintenance.isDue('apply-policies', clock.now(), DAY)) {
    await applyPolicies(repository, signal);
    maintenance.done('apply-policies', clock.now());
  }
  if (maintenance.isDue('extend-locks', clock.now(), DAY)) {
    await extendLocks(repository, signal);
    maintenance.done('extend-locks', clock.now());
  }
  // A first backup does not wait for every tree to be read.
  maintenance.begin('collect', clock.now());
  if (maintenance.isDue('collect', clock.now(), DAY)) await collectNow(repository, collector, 'daily', signal);
  else await repository.keepReserve(signal);
}

/** Why a collection happens: it is due, restore points were removed, a person wants it, or a backup found no room. */
export type CollectionOccasion = 'daily' | 'removal' | 'request' | 'full';

/**
 * Collects whether it is due or not, and makes the reserve if there is room.
 *
 * @throws as `tidyRepository`
 */
export async function collectNow(
  { projection, clock, reserve }: Repository,
  collector: Collector,
  occasion: CollectionOccasion,
  signal?: AbortSignal,
): Promise<void> {
  const { maintenance, packs } = projection;
  // To learn the store's time takes a file. A removal has just written one, and backups may fail every minute.
  const isAsked =
    occasion === 'request' || (occasion === 'full' && maintenance.isDue('ask-time', clock.now(), ASKED_EVERY));
  if (isAsked && packs.condemned().length > 0) maintenance.done('ask-time', clock.now());
  await collector.collect(signal, { isAsked });
  maintenance.done('collect', clock.now());
  await reserve.keep(signal);
}

async function applyPolicies(repository: Repository, signal: AbortSignal | undefined): Promise<void> {
  const { projection, device } = repository;
  const { points } = projection;
  const own = () => points.withPolicy().filter((set) => set.device === device.id);
  if (own().length === 0) return;
  const now = judgingTime(repository, await repository.refresh(signal));
  const removable = () => own().flatMap((set) => removablePoints(points, set, points.policy(set), now));
  if (removable().length === 0 || !(await mayRemove(repository, signal))) return;
  await repository.appendWithReserve((): readonly Fact[] | undefined => {
    // The ledgers were read again.
    const removed = isWhole(repository) ? removable() : [];
    return removed.length === 0 ? undefined : [removalOf(removed)];
  }, signal);
}
