import { HoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import { tellDoubt } from '../context/watch-doubt.ts';
import { HomeLock } from '../home/home-lock.ts';
import { locationOf } from '../home/destination-location.ts';
import { defaultName } from '../home/destination-name.ts';
import {
  requireSettings,
  requireStoredSettings,
  settingsFor,
  updateSettings,
  withSettings,
  type Settings,
  type StoredSettings,
} from '../home/settings.ts';
import type { FormerDestination } from '../home/destination-entry.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { carryPolicies } from '../setup/carry-policies.ts';
import {
  changeDestinations,
  continuedEntry,
  forgetTrees,
  namesIn,
  newCredentialsName,
  newEntryOf,
  type NewEntry,
} from '../setup/destination-entries.ts';
import type { SetupDestination } from '../setup/join-request.ts';
import { joinDestination } from '../setup/join.ts';
import { isSameLocation, movedTo, type MovedDestination } from '../setup/moved-destination.ts';
import { proveSameBackups } from '../setup/same-backups.ts';
import { accountSecretsIn, destinationSecretsIn } from '../key-store/key-store.ts';

const JOB = 'change of the destination';

/**
 * Points the home at its backups after they were moved. Nothing else changes, and only after the backups were found at
 * the new location.
 *
 * @throws HoldfastError `usage` (`destination-kind`, `destination-same`, `destination-other`, `destination-older`),
 *   `phrase_other_account`, `home_busy`, `device_refused`, and as `setup`
 */
export async function moveDestination(
  parts: AgentParts,
  moved: MovedDestination,
  { signal }: OperationRun = {},
): Promise<void> {
  const { home, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home, parts.destination);
  const keyStore = parts.keyStore.at(settings.credentials);
  const destination = movedTo(settings.destination, moved);
  if (isSameLocation(settings.destination, moved)) throw same(settings);
  const saved = await requireSecrets(keyStore, settings);
  const stored = destinationSecretsIn(saved);
  const own = moved.kind === 'store' ? moved.secrets : undefined;
  const secrets = { ...stored, ...own };
  await proveSameBackups({ ...settings, destination }, { ...accountSecretsIn(saved), ...secrets }, parts, signal);
  if (!own) {
    updateSettings(home, (before) => ({ ...before, destination }), settings.id);
    return;
  }
  const credentials = newCredentialsName();
  const change = (before: StoredSettings): StoredSettings =>
    withSettings(before, { ...settingsFor(before, settings.id), destination, credentials });
  await changeDestinations(parts, change, { credentials, secrets });
}

/**
 * Starts new backups at another destination, under the same key. Backups at both destinations stay. The next run uploads
 * everything.
 *
 * @throws HoldfastError `usage` (`destination-same`), `phrase_other_account` if the destination holds backups under
 *   another key, `home_busy`, and as `setup`
 */
export async function beginElsewhere(
  parts: AgentParts,
  destination: SetupDestination,
  { signal }: OperationRun = {},
): Promise<void> {
  const { home, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const settings = requireSettings(home, parts.destination);
  const keyStore = parts.keyStore.at(settings.credentials);
  if (destination.kind === 'folder' && isSameLocation(settings.destination, destination)) throw same(settings);
  const before = await requireSecrets(keyStore, settings);
  const { masterKey, keyEnvelope } = before;
  const keys = { master: masterKey, passphrase: undefined, envelope: keyEnvelope, account: accountSecretsIn(before) };
  const request = { deviceId: undefined, deviceName: settings.deviceName, keys };
  const joined = await joinDestination(destination, request, parts, signal);
  const name = defaultName(joined.destination, namesIn(settings.others));
  const { entry, secrets } = newEntryOf(joined, name);
  await carryPolicies(settings, entry.id, parts, signal);
  await replace(parts, settings, { entry: { ...entry, schedule: settings.schedule }, secrets }, settings.former ?? []);
  tellDoubt(parts, entry.id, joined.doubt);
}

/**
 * Continues the backups at a former destination, which must still be there.
 *
 * @param leftAt identifies the entry in the settings' `former`
 * @throws HoldfastError `destination_unknown`, `usage` (`destination-other`, `destination-older`), `home_busy`, and what the
 *   destination throws
 */
export async function returnToFormer(
  parts: AgentParts,
  { leftAt }: { readonly leftAt: number },
  { signal }: OperationRun = {},
): Promise<void> {
  const { home, keyStore, clock } = parts;
  using _lock = HomeLock.acquire(home, JOB, clock.now());
  const stored = requireStoredSettings(home);
  const settings = settingsFor(stored, parts.destination);
  const others = settings.former ?? [];
  const chosen = others.find((other) => other.leftAt === leftAt);
  if (!chosen) throw new HoldfastError('destination_unknown');
  const entry = continuedEntry(chosen, settings.others);
  const candidate = settingsFor({ ...stored, destinations: [entry] });
  const secrets = await requireSecrets(keyStore.at(entry.credentials), candidate);
  await proveSameBackups(candidate, secrets, parts, signal);
  const remaining = others.filter((other) => other !== chosen);
  await replace(parts, settings, { entry }, remaining);
}

/**
 * Replaces a destination in the settings, which is what changes it. The catalog has no tree of a new one, so the next run
 * sends everything.
 *
 * @param former the other former destinations
 */
async function replace(
  parts: AgentParts,
  { id }: Settings,
  next: NewEntry,
  former: readonly FormerDestination[],
): Promise<void> {
  const { entry, secrets } = next;
  const leftAt = parts.clock.now();
  await changeDestinations(
    parts,
    (settings) => {
      const { destinations } = settings;
      const left = destinations.find((other) => other.id === id);
      if (!left) throw new HoldfastError('destination_unknown');
      return {
        ...settings,
        destinations: destinations.map((other) => (other === left ? entry : other)),
        former: [{ ...left, leftAt }, ...former],
      };
    },
    { credentials: entry.credentials, secrets },
  );
  forgetTrees(parts.home, id);
}

function same(settings: Settings): HoldfastError {
  return wrongUsage({ problem: 'destination-same', directory: locationOf(settings.destination) });
}
