import { HoldfastError } from '../../../base/errors/errors.ts';
import { Catalog } from '../../../engine/catalog/catalog.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { withContext } from '../../context/open-context.ts';
import type { SetReference } from '../../context/set-source.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { requireStoredSettings, type DestinationEntry, type StoredSettings } from '../../home/settings.ts';

/** A set to read, and where it was found if it is another device's. */
export interface LocatedSet extends SetReference {
  readonly found?: { readonly deviceName: string; readonly destination: string };
}

/** A set of a device at a destination. */
export interface StoredSet {
  readonly set: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly isOwn: boolean;
  readonly destination: string;
  /** ISO 8601. */
  readonly newest: string;
}

/**
 * Finds the set that a name means for reading: this device's, or else the only one of that name of any device. Each destination
 * knows a device by another id; a device of the same name at several destinations is the same one.
 *
 * @throws HoldfastError `not_set_up`; `set_unknown` with what there is, if no device or more than one has such a set; what a
 *   destination throws that could not be asked, if the others have no such set
 */
export async function locateSet(parts: AgentParts, reference: SetReference, signal?: AbortSignal): Promise<LocatedSet> {
  if (reference.device !== undefined) return reference;
  const stored = requireStoredSettings(parts.home);
  const entries = stored.destinations.filter(({ id }) => parts.destination === undefined || id === parts.destination);
  const { set } = reference;
  if (isOwnSet(parts, stored, entries, set)) return reference;
  const answers = await Promise.allSettled(entries.map((entry) => setsAt(partsAt(parts, entry.id), entry, signal)));
  signal?.throwIfAborted();
  const lists = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  // A service that lists no sets gets the name unchecked.
  if (lists.includes(undefined)) return reference;
  const listed = lists.flatMap((list) => list ?? []);
  const same = listed.filter((each) => each.set === set);
  if (same.some(({ isOwn }) => isOwn)) return reference;
  const [newest] = same.toSorted((a, b) => Date.parse(b.newest) - Date.parse(a.newest));
  if (newest && isOneDevice(same)) {
    const { deviceId, deviceName, destination } = newest;
    return { ...reference, device: deviceId, found: { deviceName, destination } };
  }
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (!newest && failed) throw failed.reason;
  throw new HoldfastError('set_unknown', {
    set,
    known: stored.sets.map(({ name }) => name),
    stored: listed
      .slice(0, MAX_LISTED)
      .map(({ set: name, deviceId, deviceName }) => ({ set: name, deviceId, deviceName })),
  });
}

/** More would not help to choose. */
const MAX_LISTED = 50;

function isOwnSet(
  { home }: AgentParts,
  stored: StoredSettings,
  entries: readonly DestinationEntry[],
  set: string,
): boolean {
  if (stored.sets.some(({ name }) => name === set)) return true;
  using catalog = new Catalog(home.catalogFile);
  return entries.some(({ id, deviceId }) => catalog.at(id).history.restorePoints(deviceId, set).length > 0);
}

function isOneDevice(same: readonly StoredSet[]): boolean {
  const names = new Set(same.map(({ deviceName }) => deviceName));
  const places = new Set(same.map(({ destination }) => destination));
  return names.size === 1 && places.size === same.length;
}

/** Lists the sets with restore points at a destination, or returns `undefined` if it cannot list sets. */
export function setsAt(
  parts: AgentParts,
  { name: destination, deviceId: own }: DestinationEntry,
  signal: AbortSignal | undefined,
): Promise<readonly StoredSet[] | undefined> {
  return withContext(parts, {}, async ({ settings, access: { service } }) => {
    const devices = await visibleDevices(service, signal);
    const names = new Map([[own, settings.deviceName], ...devices.map(({ id, name }) => [id, name] as const)]);
    const found: StoredSet[] = [];
    for (const [deviceId, deviceName] of names) {
      const sets = await service.backupSets(deviceId, signal);
      if (!sets) return undefined;
      for (const { name: set, last_restore_point: newest } of sets) {
        if (newest) found.push({ set, deviceId, deviceName, isOwn: deviceId === own, destination, newest });
      }
    }
    return found;
  });
}
