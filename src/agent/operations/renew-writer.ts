import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import { newWriterKey } from '../../format/repository/writer-key.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import { openAccess } from '../destination/open-access.ts';
import { requireSole } from '../home/find-destination.ts';
import { HomeLock } from '../home/home-lock.ts';
import type { Home } from '../home/home.ts';
import { requireSettings, requireStoredSettings, updateSettings, type Settings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { forgetSets } from '../setup/destination-entries.ts';

/**
 * Gives a home another writer at a destination, after a copy of the home has written there with its own. The home stays the same device, or
 * becomes another one if it is the copy. Its sets and settings stay, and so do all restore points.
 *
 * @param deviceName the name of the new device. Without it the home continues as the one that it is
 * @throws HoldfastError `usage` (`options` unless exactly one destination of one's own is meant), `home_busy`, and what opening the
 *   destination throws
 */
export async function renewWriter(
  parts: AgentParts,
  { deviceName }: { readonly deviceName?: string | undefined },
  { signal }: OperationRun = {},
): Promise<Settings> {
  const { home, clock, environment } = parts;
  const { id } = repositoryIn(home, parts.destination);
  using _lock = HomeLock.acquire(home, 'change of the writer', clock.now());
  const before = requireSettings(home, id);
  const keyStore = parts.keyStore.at(before.credentials);
  const writer = newWriterKey();
  const secrets = { ...(await requireSecrets(keyStore, before)), deviceKey: writer.text };
  const settings = deviceName === undefined ? before : { ...before, deviceId: writer.id, deviceName };
  const policy = INTERACTIVE_RETRY_POLICY;
  await using access = await openAccess({ home, keyStore, clock, environment, settings, secrets, policy });
  // Reads what everybody has written there.
  await access.service.devices(signal);
  // Until the settings are saved, the home is the same device with another writer.
  await keyStore.save(access.secrets);
  // What the home knows may be older than what lies there: it begins as after the loss of its catalog.
  forgetSets(home, settings.sets);
  if (deviceName === undefined) return settings;
  return updateSettings(home, (now) => ({ ...now, deviceId: writer.id, deviceName }), settings.id);
}

/** @param chosen the id of the destination that was chosen. By default the only one that is no service */
function repositoryIn(home: Home, chosen: string | undefined): DestinationEntry {
  const places = requireStoredSettings(home).destinations.filter(({ destination }) => destination.kind !== 'service');
  return requireSole(places, chosen, {
    several: (names) => `Name the destination: ${names}.`,
    none: 'A service knows this computer by its key. If it no longer takes that, use: holdfast destination sign-in',
  });
}
