import { randomUUID } from 'node:crypto';
import { HoldfastError, wrongUsage } from '../../base/errors.ts';
import { Catalog } from '../../engine/catalog/catalog.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { addTotals } from '../home/destination-totals.ts';
import { HomeLock } from '../home/home-lock.ts';
import type { Home } from '../home/home.ts';
import { locationOf } from '../home/destination-location.ts';
import { newDestinationId } from '../home/destination-entry.ts';
import { defaultName, freeName } from '../home/destination-name.ts';
import {
  requireSettings,
  updateSettings,
  updateStoredSettings,
  type DestinationEntry,
  type FormerDestination,
  type Settings,
} from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { carryPolicies } from '../setup/carry-policies.ts';
import type { SetupDestination } from '../setup/join-request.ts';
import { joinDestination } from '../setup/join.ts';
import { isSameLocation, movedTo, type MovedDestination } from '../setup/moved-destination.ts';
import { proveSameBackups } from '../setup/same-backups.ts';

const JOB = 'change of the destination';

/**
 * Points the home at its backups after they were moved. Nothing else changes, and only after the backups were found at
 * the new location.
 *
 * @throws HoldfastError `usage` (`destination-kind`, `destination-same`, `destination-other`, `destination-older`),
 *   `phrase_other_account`, `home_busy`, `device_refused`, and as `setup`
 */
export async function moveDestination(moved: MovedDestination, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home, parts.destination);
  const keyStore = parts.keyStore.at(settings.credentials);
  const destination = movedTo(settings.destination, moved);
  if (isSameLocation(settings.destination, moved)) throw same(settings);
  const { masterKey, ...stored } = await requireSecrets(keyStore, settings);
  const own = moved.kind === 'store' ? moved.secrets : undefined;
  const secrets = { ...stored, ...own };
  await proveSameBackups({ ...settings, destination }, { masterKey, ...secrets }, parts, signal);
  const credentials = own ? newName() : settings.credentials;
  if (own) await keyStore.saveDestination(credentials!, secrets, credentialsIn(settings));
  updateSettings(home, (before) => ({ ...before, destination, credentials }), settings.id);
}

/**
 * Starts new backups at another destination, under the same key. Backups at both destinations stay. The next run uploads
 * everything.
 *
 * @throws HoldfastError `usage` (`destination-same`), `phrase_other_account` if the destination holds backups under
 *   another key, `home_busy`, and as `setup`
 */
export async function beginElsewhere(
  destination: SetupDestination,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  const { home, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home, parts.destination);
  const keyStore = parts.keyStore.at(settings.credentials);
  if (destination.kind === 'folder' && isSameLocation(settings.destination, destination)) throw same(settings);
  const { masterKey, keyEnvelope } = await requireSecrets(keyStore, settings);
  const credentials = newName();
  const keys = { master: masterKey, passphrase: undefined, envelope: keyEnvelope };
  const request = { deviceId: undefined, deviceName: settings.deviceName, keys };
  const joined = await joinDestination(destination, request, parts, signal);
  await carryPolicies(settings, parts, signal);
  const { masterKey: _same, ...secrets } = joined.secrets;
  await keyStore.saveDestination(credentials, secrets, credentialsIn(settings));
  const { destination: place, deviceId, deviceName } = joined;
  const id = newDestinationId();
  const name = defaultName(place, namesIn(settings.others));
  const next = { id, name, destination: place, deviceId, deviceName, credentials, since: clock.now() };
  commit(parts, settings, { ...next, schedule: settings.schedule }, settings.former ?? []);
}

/**
 * Continues the backups at a former destination, which must still be there.
 *
 * @param leftAt identifies the entry in the settings' `former`
 * @throws HoldfastError `destination_unknown`, `usage` (`destination-other`, `destination-older`), `home_busy`, and what the
 *   destination throws
 */
export async function returnToFormer(leftAt: number, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home, parts.destination);
  const others = settings.former ?? [];
  const chosen = others.find((other) => other.leftAt === leftAt);
  if (!chosen) throw new HoldfastError('destination_unknown');
  const { leftAt: _left, ...entry } = chosen;
  const secrets = await requireSecrets(keyStore.at(chosen.credentials), settings);
  await proveSameBackups({ ...settings, since: undefined, credentials: undefined, ...entry }, secrets, parts, signal);
  const name = freeName(chosen.name, namesIn(settings.others));
  const remaining = others.filter((other) => other !== chosen);
  commit(parts, settings, { ...entry, name, since: clock.now() }, remaining);
}

/**
 * Replaces a destination in the settings, which is what changes it. The catalog has no tree of a new one, so the next run
 * sends everything.
 *
 * @param former the other former destinations
 */
function commit(
  { home }: AgentParts,
  before: Settings,
  next: DestinationEntry & { readonly since: number },
  former: readonly FormerDestination[],
): void {
  const left = formerOf(before, next.since, home);
  // Sets and other settings may have changed meanwhile.
  updateStoredSettings(home, (settings) => ({
    ...settings,
    destinations: settings.destinations.map((entry) => (entry.id === before.id ? next : entry)),
    former: [left, ...former],
  }));
}

/** Stores the totals of the destination's runs. */
function formerOf(settings: Settings, leftAt: number, home: Home): FormerDestination {
  const { id, name, destination, deviceId, deviceName, credentials, schedule, since, totals: before } = settings;
  using catalog = new Catalog(home.catalogFile);
  const totals = addTotals(before, catalog.journal.totals(0, { destination: id, since }));
  return { id, name, destination, deviceId, deviceName, credentials, schedule, leftAt, totals };
}

/** The names of the secrets that the settings refer to, now or as a former destination's. */
function credentialsIn({ credentials, others, former = [] }: Settings): readonly string[] {
  const all = [credentials, ...[...others, ...former].map((other) => other.credentials)];
  return all.filter((name) => name !== undefined);
}

function namesIn(entries: readonly DestinationEntry[]): readonly string[] {
  return entries.map(({ name }) => name);
}

function newName(): string {
  return randomUUID().slice(0, 8);
}

function same(settings: Settings): HoldfastError {
  return wrongUsage({ problem: 'destination-same', directory: locationOf(settings.destination) });
}
