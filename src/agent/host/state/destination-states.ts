import type { Catalog } from '../../../catalog/catalog.ts';
import type { ConfiguredDestination, SetAtDestination } from '../../../ipc/state.ts';
import type { Decision } from '../../../model/schedule/decision.ts';
import type { LastRun } from '../../../model/run.ts';
import { locationOf } from '../../home/destination-location.ts';
import type { Settings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { SetHistories } from '../../history/set-history.ts';
import type { DestinationStatus } from '../destination/destination-watch.ts';
import type { Figures } from './figures.ts';
import { fullAt } from './growth.ts';

export interface StateFacts {
  readonly statusOf: (id: string) => DestinationStatus;
  readonly histories: SetHistories;
  readonly storage: Figures['storage'];
  readonly decisionOf: (set: string, destination: string) => Decision;
  readonly isBackingUp: (set: string, destination: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Returns the state of each destination, with the backups of each set there. */
export function destinationStates(settings: Settings, catalog: Catalog, facts: StateFacts): ConfiguredDestination[] {
  return settings.all.map((entry) => {
    const { id, name, destination, schedule, parity } = entry;
    const { isPresent, freeBytes, isOnSourceDisk } = facts.statusOf(id);
    return {
      id,
      name,
      kind: destination.kind,
      location: locationOf(destination),
      ...(freeBytes === undefined ? {} : { freeBytes }),
      isAtHand: isPresent,
      ...(isOnSourceDisk === undefined || !isPresent ? {} : { isOnSourceDisk }),
      ...(schedule === undefined ? {} : { schedule }),
      ...(parity === undefined ? {} : { parity }),
      sets: settings.sets.map(({ name: set }) => setAt(set, entry, catalog, facts)),
      storage: storageWith(facts.storage.get(id) ?? {}, freeBytes, facts.now),
    };
  });
}

function storageWith(
  storage: ConfiguredDestination['storage'],
  freeBytes: number | undefined,
  now: number,
): ConfiguredDestination['storage'] {
  const end = fullAt(storage.growth, freeBytes, now);
  return end === undefined ? storage : { ...storage, fullAt: end };
}

function setAt(
  set: string,
  { id, deviceId }: DestinationEntry,
  catalog: Catalog,
  { histories, decisionOf, isBackingUp }: StateFacts,
): SetAtDestination {
  const { lastBackup, lastGoodAt, lastPoint } = histories.of(catalog.at(id), deviceId, set);
  const failure = lastBackup?.outcome === 'failed' ? lastBackup.failure : undefined;
  return {
    set,
    ...(lastGoodAt === undefined ? {} : { lastGoodAt }),
    ...(lastPoint ? { lastPoint } : {}),
    state: isBackingUp(set, id) ? 'running' : stateOf(lastBackup),
    ...(failure ? { failure } : {}),
    decision: decisionOf(set, id),
  };
}

function stateOf(lastBackup: LastRun | undefined): SetAtDestination['state'] {
  if (!lastBackup) return 'none';
  return lastBackup.outcome === 'cancelled' ? 'interrupted' : lastBackup.outcome;
}
