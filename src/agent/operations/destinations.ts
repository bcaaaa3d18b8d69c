import { HoldfastError, isHoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { realPathOf } from '../../os/filesystem/real-path.ts';
import { isInside } from '../../model/local-path.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import { tellDoubt } from '../context/watch-doubt.ts';
import { isAtHand } from '../destination/at-hand.ts';
import { locationOf } from '../home/destination-location.ts';
import { defaultName, isNameTaken } from '../home/destination-name.ts';
import { requireDestination } from '../home/find-destination.ts';
import { HomeLock } from '../home/home-lock.ts';
import { requireStoredSettings, settingsFor, updateStoredSettings, type StoredSettings } from '../home/settings.ts';
import type { DestinationEntry, FormerDestination } from '../home/destination-entry.ts';
import type { DestinationSecrets } from '../key-store/key-store.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { carryPolicies } from '../setup/carry-policies.ts';
import { changeDestinations, continuedEntry, forgetTrees, namesIn, newEntryOf } from '../setup/destination-entries.ts';
import type { SetupDestination } from '../setup/join-request.ts';
import { joinDestination } from '../setup/join.ts';
import { knownBackups } from '../setup/known-backups.ts';
import { isAtLocation } from '../setup/moved-destination.ts';
import { proveSameBackups } from '../setup/same-backups.ts';
import type { StoreCaution } from '../../model/destination.ts';
import { requireSchedule } from '../input/schedule.ts';
import { statusOf, type DestinationStatus } from './status.ts';
import { accountSecretsIn } from '../key-store/key-store.ts';

export interface NewDestination {
  readonly destination: SetupDestination;
  /** One that follows from the location by default. */
  readonly name?: string | undefined;
  /** In place of the sets' own. */
  readonly schedule?: string | undefined;
  /** An existing device to continue as. By default a new one is registered. */
  readonly deviceId?: string | undefined;
  /** The name of a new device. By default the one at the first destination. */
  readonly deviceName?: string | undefined;
}

export interface AddedDestination {
  readonly entry: DestinationEntry;
  /** True if this home's earlier backups there are continued. */
  readonly isContinued: boolean;
  /** What the store does not promise. */
  readonly cautions: readonly StoreCaution[];
  /** The share of parity there, in percent, which was chosen when the backups there were begun. `undefined` at a service. */
  readonly parity?: number | undefined;
}

const NAME_LENGTH = 100;

export interface ListedDestination extends DestinationStatus {
  readonly isAtHand: boolean;
}

export interface DestinationList {
  /** In order of preference. */
  readonly destinations: readonly ListedDestination[];
  /** The newest first. */
  readonly former: readonly FormerDestination[];
}

/** Lists the destinations with the last runs of each set there. Checks which are connected. */
export async function listDestinations(parts: AgentParts): Promise<DestinationList> {
  const { destinations } = statusOf(parts);
  const present = await Promise.all(destinations.map(({ entry }) => isAtHand(entry.destination)));
  const listed = destinations.map((status, index) => Object.assign(status, { isAtHand: present[index]! }));
  return { destinations: listed, former: requireStoredSettings(parts.home).former ?? [] };
}

/**
 * Adds a destination behind the others, under the same key. Continues a former destination at the same location, if its
 * backups are still there. Does not lock the home, since a run to another destination may take days.
 *
 * @throws HoldfastError `destination_exists`, `usage` (`destination-name`, `destination-same`, `inside-own-folder`,
 *   `schedule`), `phrase_other_account` if the destination holds backups under another key; and as `setup`
 */
export async function addDestination(
  parts: AgentParts,
  request: NewDestination,
  { signal }: OperationRun = {},
): Promise<AddedDestination> {
  const { destination, name, schedule } = request;
  const stored = requireStoredSettings(parts.home);
  if (name !== undefined) checkName(name, stored.destinations);
  if (schedule !== undefined) requireSchedule(schedule);
  const same = stored.destinations.find((entry) => isAtLocation(entry.destination, destination));
  if (same) throw wrongUsage({ problem: 'destination-same', directory: locationOf(same.destination) });
  refuseNested(destination, stored.destinations);
  const former = (stored.former ?? []).find((other) => isAtLocation(other.destination, destination));
  const continued = former && (await continueFormer(former, stored, request, parts, signal));
  return continued ?? (await begin(stored, request, parts, signal));
}

/** Refuses a folder within another destination: both would be lost together, and count as two copies. */
function refuseNested(chosen: SetupDestination, destinations: readonly DestinationEntry[]): void {
  if (chosen.kind !== 'folder') return;
  const real = realPathOf(chosen.directory);
  for (const { destination } of destinations) {
    if (destination.kind !== 'folder' || !isInside(real, realPathOf(destination.directory))) continue;
    throw wrongUsage({ problem: 'inside-own-folder', path: chosen.directory, folder: destination.directory });
  }
}

/** Returns `undefined` if another destination is at that location by now. */
async function continueFormer(
  former: FormerDestination,
  stored: StoredSettings,
  { name, schedule }: NewDestination,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<AddedDestination | undefined> {
  const { keyStore } = parts;
  const found = continuedEntry(former, stored.destinations);
  const entry = { ...found, name: name?.trim() ?? found.name, schedule: schedule ?? found.schedule };
  const candidate = settingsFor({ ...stored, destinations: [entry] });
  const secrets = await requireSecrets(keyStore.at(entry.credentials), candidate);
  try {
    await proveSameBackups(candidate, secrets, parts, signal);
  } catch (error) {
    if (isOtherDestination(error)) return undefined;
    throw error;
  }
  await save(parts, entry);
  return { entry, isContinued: true, cautions: [], parity: entry.parity };
}

/** The backups of this home are not there any more, or its sign-in is no longer accepted. Joining anew reports the rest. */
function isOtherDestination(error: unknown): boolean {
  if (isHoldfastError(error, 'usage')) return true;
  return ['device_refused', 'signed_out', 'permission_denied', 'destination_missing', 'phrase_other_account'].some(
    (code) => isHoldfastError(error) && error.code === code,
  );
}

async function begin(
  stored: StoredSettings,
  { destination, name, schedule, deviceId, deviceName }: NewDestination,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<AddedDestination> {
  const first = settingsFor(stored);
  const own = await requireSecrets(parts.keyStore.at(first.credentials), first);
  const { masterKey, keyEnvelope } = own;
  const account = accountSecretsIn(own);
  const keys = { master: masterKey, passphrase: undefined, envelope: keyEnvelope, account };
  const others = await knownBackups(stored, parts);
  const request = { deviceId, deviceName: deviceName ?? first.deviceName, keys, others };
  const joined = await joinDestination(destination, request, parts, signal);
  const chosen = name?.trim() ?? defaultName(joined.destination, namesIn(stored.destinations));
  const { entry: found, secrets } = newEntryOf(joined, chosen);
  const entry = { ...found, schedule };
  await carryPolicies(first, entry.id, parts, signal);
  await save(parts, entry, secrets);
  tellDoubt(parts, entry.id, joined.doubt);
  return { entry, isContinued: false, cautions: joined.cautions, parity: entry.parity };
}

async function save(parts: AgentParts, entry: DestinationEntry, secrets?: DestinationSecrets): Promise<void> {
  await changeDestinations(
    parts,
    ({ destinations, former = [], ...settings }) => {
      // Another process may have added one meanwhile.
      checkName(entry.name, destinations);
      const remaining = former.filter(({ id }) => id !== entry.id);
      return { ...settings, destinations: [...destinations, entry], former: remaining };
    },
    { credentials: entry.credentials, secrets },
  );
}

/**
 * Removes a destination from the settings. Its backups stay.
 *
 * @throws HoldfastError `destination_unknown`, `usage` (`destination-last`), `home_busy`
 */
export async function removeDestination(
  parts: AgentParts,
  { destination: name }: { readonly destination: string },
): Promise<FormerDestination> {
  const { home, clock } = parts;
  using _lock = HomeLock.acquire(home, 'removal of a destination', clock.now());
  const { id } = requireDestination(requireStoredSettings(home), name);
  let left: FormerDestination | undefined;
  await changeDestinations(parts, (settings) => {
    const entry = requireDestination(settings, id);
    const others = settings.destinations.filter((other) => other !== entry);
    if (others.length === 0) throw wrongUsage({ problem: 'destination-last' });
    left = { ...entry, leftAt: clock.now() };
    return { ...settings, destinations: others, former: [left, ...(settings.former ?? [])] };
  });
  forgetTrees(home, id);
  return left!;
}

/** What a person changes of a destination. */
export interface DestinationChange {
  /** Its name or its id. */
  readonly destination: string;
  readonly name?: string | undefined;
  /** `null` for the sets' own schedules. */
  readonly schedule?: string | null | undefined;
}

/** @throws HoldfastError `destination_unknown`, `destination_exists`, `usage` (`destination-name`, `schedule`), `home_busy` */
export function changeDestination({ home }: AgentParts, change: DestinationChange): DestinationEntry {
  if (typeof change.schedule === 'string') requireSchedule(change.schedule);
  const { id } = requireDestination(requireStoredSettings(home), change.destination);
  const changed = updateStoredSettings(home, (settings) => {
    const entry = requireDestination(settings, id);
    const others = settings.destinations.filter((other) => other !== entry);
    if (change.name !== undefined) checkName(change.name, others);
    const next = {
      ...entry,
      name: change.name?.trim() ?? entry.name,
      schedule: change.schedule === undefined ? entry.schedule : (change.schedule ?? undefined),
    };
    return { ...settings, destinations: settings.destinations.map((other) => (other === entry ? next : other)) };
  });
  return requireDestination(changed, id);
}

function checkName(name: string, others: readonly DestinationEntry[]): void {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > NAME_LENGTH || /\p{Cc}/u.test(trimmed)) {
    throw wrongUsage({ problem: 'destination-name', name });
  }
  if (isNameTaken(trimmed, namesIn(others))) throw new HoldfastError('destination_exists', { destination: trimmed });
}
