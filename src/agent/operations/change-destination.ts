import { randomUUID } from 'node:crypto';
import { Catalog } from '../../engine/catalog/catalog.ts';
import type { AgentParts } from '../agent.ts';
import { secretsOf } from '../destination/service-access.ts';
import { wrongUsage } from '../../base/errors.ts';
import type { Home } from '../home/home.ts';
import { HomeLock } from '../home/home-lock.ts';
import { placeOf, saveSettings, type FormerPlace, type PlaceTotals, type Settings } from '../home/settings.ts';
import { SettingsLock } from '../home/settings-lock.ts';
import { requireSettings } from '../sets/set-store.ts';
import { withTotals } from '../home/destination-totals.ts';
import { carryPolicies } from '../setup/carry-policies.ts';
import { credentialsOf, destinationAt, isSamePlace, type MovedPlace } from '../setup/moved-place.ts';
import { proveSameBackups } from '../setup/same-backups.ts';
import { joinDestination, type SetupDestination } from './setup.ts';

/** What says where backups go. It is saved as one, which is what makes a change. */
interface Whereto extends Pick<Settings, 'destination' | 'deviceId' | 'deviceName'> {
  readonly credentials: string | undefined;
  readonly since?: number | undefined;
  readonly totals?: PlaceTotals | undefined;
  readonly former?: readonly FormerPlace[] | undefined;
}

const JOB = 'change of the destination';

/**
 * The same backups stand at another place now. Nothing changes but where they are looked for, and that only after they were
 * found there.
 *
 * @throws HoldfastError `usage` (`destination-kind`, `destination-same`, `destination-other`, `destination-older`),
 *   `phrase_other_account`, `home_busy`, `device_refused`, and as `setup`
 */
export async function moveDestination(place: MovedPlace, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  const destination = destinationAt(settings.destination, place);
  if (isSamePlace(settings.destination, place)) throw same(settings);
  const { masterKey, ...kept } = await secretsOf(keyStore, settings);
  const bucket = credentialsOf(place);
  const secrets = { ...kept, ...(bucket && { bucket }) };
  await proveSameBackups({ ...settings, destination }, { masterKey, ...secrets }, parts, signal);
  const credentials = bucket ? newName() : settings.credentials;
  if (bucket) await keyStore.keepPlace(credentials!, secrets, namesIn(settings));
  const { deviceId, deviceName } = settings;
  commit(parts, settings, { destination, deviceId, deviceName, credentials });
}

/**
 * Begins new backups at another place, under the same key. Those that are there stay, and so do those at the old place. What
 * this computer remembers of the old place's is forgotten, so that the next run brings everything.
 *
 * @throws HoldfastError `usage` (`destination-same`), `phrase_other_account` where the place holds backups under another
 *   key, `home_busy`, and as `setup`
 */
export async function beginElsewhere(
  destination: SetupDestination,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  if (destination.kind === 'embedded' && isSamePlace(settings.destination, destination)) throw same(settings);
  const { masterKey, keyEnvelope } = await secretsOf(keyStore, settings);
  const credentials = newName();
  // A home keeps the metadata of each of its buckets in a folder of its own.
  const elsewhere = destination.kind === 'bucket' ? { ...destination, folder: `bucket-${credentials}` } : destination;
  const joined = await joinDestination(
    { destination: elsewhere, deviceName: settings.deviceName },
    { master: masterKey, passphrase: undefined, envelope: keyEnvelope },
    parts,
    signal,
  );
  await carryPolicies(settings, parts, signal);
  const { masterKey: _same, ...secrets } = joined.secrets;
  await keyStore.keepPlace(credentials, secrets, namesIn(settings));
  const now = clock.now();
  const { deviceId, deviceName } = joined;
  const former = [formerOf(settings, now, home), ...(settings.former ?? [])];
  const totals = undefined;
  const next = { destination: joined.destination, deviceId, deviceName, credentials, since: now, totals, former };
  commit(parts, settings, next);
}

/**
 * Goes on with the backups of a place of before, which have to be there.
 *
 * @param leftAt as `former` of the settings tells it
 * @throws HoldfastError `usage` (`destination-unknown`, `destination-other`, `destination-older`), `home_busy`, and what
 *   the place throws
 */
export async function returnToFormer(leftAt: number, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home);
  const others = settings.former ?? [];
  const place = others.find((other) => other.leftAt === leftAt);
  if (!place) throw wrongUsage({ problem: 'destination-unknown' });
  const { destination, deviceId, deviceName, credentials, totals } = place;
  const there = { destination, deviceId, deviceName };
  const secrets = await secretsOf(keyStore.at(credentials), settings);
  const candidate = { ...settings, ...there, credentials } as Settings;
  await proveSameBackups(candidate, secrets, parts, signal);
  const now = clock.now();
  const former = [formerOf(settings, now, home), ...others.filter((other) => other !== place)];
  commit(parts, settings, { ...there, credentials, since: now, totals, former });
}

/**
 * The step that counts: until the settings are saved, all is as it was. What was done before it harms nobody; a catalog
 * that has forgotten what the old place holds is filled again by the next run.
 */
function commit({ home }: AgentParts, before: Settings, next: Whereto): void {
  if (next.deviceId !== before.deviceId) {
    using catalog = new Catalog(home.catalogFile);
    catalog.entries.forgetAll();
  }
  using _lock = SettingsLock.acquire(home);
  // Sets and all else may have been changed meanwhile.
  saveSettings(home, { ...requireSettings(home), ...next } as Settings);
}

/** With what its runs tell of it: later, nothing of the journal says which were its own. */
function formerOf(settings: Settings, leftAt: number, home: Home): FormerPlace {
  const { destination, deviceId, deviceName, credentials, since, totals: before } = settings;
  using catalog = new Catalog(home.catalogFile);
  const totals = withTotals(before, catalog.journal.totals(0, since));
  return { destination, deviceId, deviceName, leftAt, totals, ...(credentials !== undefined && { credentials }) };
}

/** Those of secrets that the settings name, now or of before. */
function namesIn({ credentials, former = [] }: Settings): readonly string[] {
  return [credentials, ...former.map((place) => place.credentials)].filter((name) => name !== undefined);
}

function newName(): string {
  return randomUUID().slice(0, 8);
}

function same(settings: Settings): Error {
  return wrongUsage({ problem: 'destination-same', directory: placeOf(settings.destination) });
}
