import { randomUUID } from 'node:crypto';
import { type HoldfastError, wrongUsage } from '../../base/errors.ts';
import { Catalog } from '../../engine/catalog/catalog.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { addTotals } from '../home/destination-totals.ts';
import { HomeLock } from '../home/home-lock.ts';
import type { Home } from '../home/home.ts';
import { locationOf } from '../home/destination-location.ts';
import { requireSettings, updateSettings, type FormerDestination, type Settings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { carryPolicies } from '../setup/carry-policies.ts';
import type { SetupDestination } from '../setup/join-request.ts';
import { joinDestination } from '../setup/join.ts';
import { isSameLocation, movedTo, type MovedDestination } from '../setup/moved-destination.ts';
import { proveSameBackups } from '../setup/same-backups.ts';

/** The settings that belong to the destination. Saving them together is what changes it. */
type DestinationSettings = Pick<Settings, 'destination' | 'deviceId' | 'deviceName'> &
  Partial<Pick<Settings, 'since' | 'totals' | 'former'>> & { readonly credentials: string | undefined };

const JOB = 'change of the destination';

/**
 * Points the home at its backups after they were moved. Nothing else changes, and only after the backups were found at
 * the new location.
 *
 * @throws HoldfastError `usage` (`destination-kind`, `destination-same`, `destination-other`, `destination-older`),
 *   `phrase_other_account`, `home_busy`, `device_refused`, and as `setup`
 */
export async function moveDestination(moved: MovedDestination, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  const destination = movedTo(settings.destination, moved);
  if (isSameLocation(settings.destination, moved)) throw same(settings);
  const { masterKey, ...stored } = await requireSecrets(keyStore, settings);
  const own = moved.kind === 'store' ? moved.secrets : undefined;
  const secrets = { ...stored, ...own };
  await proveSameBackups({ ...settings, destination }, { masterKey, ...secrets }, parts, signal);
  const credentials = own ? newName() : settings.credentials;
  if (own) await keyStore.saveDestination(credentials!, secrets, credentialsIn(settings));
  const { deviceId, deviceName } = settings;
  commit(parts, { destination, deviceId, deviceName, credentials });
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
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  if (destination.kind === 'folder' && isSameLocation(settings.destination, destination)) throw same(settings);
  const { masterKey, keyEnvelope } = await requireSecrets(keyStore, settings);
  const credentials = newName();
  const keys = { master: masterKey, passphrase: undefined, envelope: keyEnvelope };
  const request = { deviceId: undefined, deviceName: settings.deviceName, keys };
  const joined = await joinDestination(destination, request, parts, signal);
  await carryPolicies(settings, parts, signal);
  const { masterKey: _same, ...secrets } = joined.secrets;
  await keyStore.saveDestination(credentials, secrets, credentialsIn(settings));
  const since = clock.now();
  const former = [formerOf(settings, since, home), ...(settings.former ?? [])];
  const { destination: next, deviceId, deviceName } = joined;
  commit(parts, { destination: next, deviceId, deviceName, credentials, since, totals: undefined, former });
}

/**
 * Continues the backups at a former destination, which must still be there.
 *
 * @param leftAt identifies the entry in the settings' `former`
 * @throws HoldfastError `usage` (`destination-unknown`, `destination-other`, `destination-older`), `home_busy`, and what
 *   the destination throws
 */
export async function returnToFormer(leftAt: number, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  const others = settings.former ?? [];
  const chosen = others.find((other) => other.leftAt === leftAt);
  if (!chosen) throw wrongUsage({ problem: 'destination-unknown' });
  const { leftAt: _left, totals, ...rest } = chosen;
  const next = { ...rest, credentials: chosen.credentials };
  const secrets = await requireSecrets(keyStore.at(chosen.credentials), settings);
  await proveSameBackups({ ...settings, ...next }, secrets, parts, signal);
  const since = clock.now();
  const former = [formerOf(settings, since, home), ...others.filter((other) => other !== chosen)];
  commit(parts, { ...next, since, totals, former });
}

/**
 * Saves the settings, which is what changes the destination. The catalog has no tree of the new device's, so the next run
 * sends everything.
 */
function commit({ home }: AgentParts, next: DestinationSettings): void {
  // Sets and other settings may have changed meanwhile.
  updateSettings(home, (settings) => ({ ...settings, ...next }));
}

/** Stores the totals of the destination's runs, since the journal does not record their destination. */
function formerOf(settings: Settings, leftAt: number, home: Home): FormerDestination {
  const { destination, deviceId, deviceName, credentials, since, totals: before } = settings;
  using catalog = new Catalog(home.catalogFile);
  const totals = addTotals(before, catalog.journal.totals(0, { since }));
  return { destination, deviceId, deviceName, leftAt, totals, ...(credentials !== undefined && { credentials }) };
}

/** The names of the secrets that the settings refer to, now or as a former destination's. */
function credentialsIn({ credentials, former = [] }: Settings): readonly string[] {
  return [credentials, ...former.map((other) => other.credentials)].filter((name) => name !== undefined);
}

function newName(): string {
  return randomUUID().slice(0, 8);
}

function same(settings: Settings): HoldfastError {
  return wrongUsage({ problem: 'destination-same', directory: locationOf(settings.destination) });
}
