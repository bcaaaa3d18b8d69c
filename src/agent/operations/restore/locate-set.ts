import { HoldfastError } from '../../../base/errors/errors.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { withContext } from '../../context/open-context.ts';
import type { SetReference } from '../../context/set-source.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { requireStoredSettings, type StoredSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';

/** A set to read, and where it was found if only its name or that of its device was given. */
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
 * Finds the set that a name means for reading: this device's, or else the only one of that name of any device, or of the devices of a name. Each
 * destination knows a device by another id; a device of the same name at several destinations is the same one.
 *
 * @throws HoldfastError `not_set_up`; `set_unknown` with what there is, if no device or more than one has such a set; what a
 *   destination throws that could not be asked, if the others have no such set
 */
export async function locateSet(
  parts: AgentParts,
  reference: SetReference,
  { signal }: OperationRun = {},
): Promise<LocatedSet> {
  const { device: wanted } = reference;
  if (wanted !== undefined && DEVICE_ID.test(wanted)) return reference;
  const stored = requireStoredSettings(parts.home);
  const entries = stored.destinations.filter(({ id }) => parts.destination === undefined || id === parts.destination);
  const { set } = reference;
  if (wanted === undefined && isOwnSet(parts, stored, entries, set)) return reference;
  const answers = await Promise.allSettled(entries.map((entry) => setsAt(partsAt(parts, entry.id), entry, signal)));
  signal?.throwIfAborted();
  const lists = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  // A service that lists no sets gets the name unchecked.
  if (lists.includes(undefined)) return reference;
  const listed = lists.flatMap((list) => list ?? []);
  const same = listed.filter((each) => each.set === set && (wanted === undefined || each.deviceName === wanted));
  // A service may have other ids.
  if (wanted !== undefined && same.length === 0 && !listed.some(({ deviceName }) => deviceName === wanted))
    return reference;
  if (wanted === undefined && same.some(({ isOwn }) => isOwn)) return reference;
  const [newest] = same.toSorted((a, b) => Date.parse(b.newest) - Date.parse(a.newest));
  if (newest && isOneDevice(same)) {
    const { deviceId, deviceName, destination } = newest;
    return { ...reference, device: deviceId, found: { deviceName, destination } };
  }
  // Nor does one know it that may have sets which it does not list.
  if (listed.length === 0 && isDoubtful(parts, entries)) return reference;
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

/** As repositories and our service have them. */
const DEVICE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

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

/** Returns whether one of the destinations could not vouch for what it lists. */
function isDoubtful({ home }: AgentParts, entries: readonly DestinationEntry[]): boolean {
  using catalog = new Catalog(home.catalogFile);
  return entries.some(({ id }) => catalog.at(id).history.doubtSince() !== undefined);
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
