import { randomUUID } from 'node:crypto';
import { Catalog } from '../../catalog/catalog.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { newDestinationId, type DestinationEntry, type FormerDestination } from '../home/destination-entry.ts';
import { freeName } from '../home/destination-name.ts';
import type { Home } from '../home/home.ts';
import { lockSettings } from '../home/settings-lock.ts';
import { requireStoredSettings, saveStoredSettings, type StoredSettings } from '../home/settings.ts';
import { destinationSecretsIn, type DestinationSecrets } from '../key-store/key-store.ts';
import type { Joined } from './join-request.ts';

/** The entry of a destination that was joined or is continued, with new secrets for it. Neither is saved yet. */
export interface NewEntry {
  readonly entry: DestinationEntry;
  readonly secrets?: DestinationSecrets | undefined;
}

export function newEntryOf(joined: Joined, name: string): NewEntry {
  const { destination, deviceId, deviceName, parity } = joined;
  const secrets = destinationSecretsIn(joined.secrets);
  const id = newDestinationId();
  return { entry: { id, name, destination, deviceId, deviceName, credentials: newCredentialsName(), parity }, secrets };
}

/** Returns a name for the secrets of another destination. */
export function newCredentialsName(): string {
  return randomUUID().slice(0, 8);
}

/**
 * Changes the list of destinations under the lock of the settings. Saves the secrets first: the settings are what changes the
 * destinations. Removes secrets that no destination refers to.
 *
 * @param own new secrets of a destination in the changed settings, with the name that it has for them
 * @throws HoldfastError `home_busy`, `home_damaged`, `home_unwritable`; what `change` throws
 */
export async function changeDestinations(
  { home, keyStore }: AgentParts,
  change: (settings: StoredSettings) => StoredSettings,
  {
    credentials,
    secrets,
  }: { readonly credentials?: string | undefined; readonly secrets?: DestinationSecrets | undefined } = {},
): Promise<void> {
  using _lock = lockSettings(home);
  const before = requireStoredSettings(home);
  const next = change(before);
  // Until the settings are saved, the secrets of a destination that is replaced are still needed.
  const needed = [...new Set([...credentialsIn(before), ...credentialsIn(next)])];
  if (credentials !== undefined && secrets) await keyStore.saveDestination(credentials, secrets, needed);
  saveStoredSettings(home, next);
}

/** Returns the entry of a former destination that is continued, with a number in its name if another one has it now. */
export function continuedEntry(
  { leftAt: _left, ...former }: FormerDestination,
  others: readonly DestinationEntry[],
): DestinationEntry {
  return { ...former, name: freeName(former.name, namesIn(others)) };
}

/**
 * Makes the catalog forget what a destination that was left has stored, since it keeps the changes that a destination lacks. A
 * run after a return sends everything again, and uploads what is missing.
 */
export function forgetTrees(home: Home, id: string): void {
  using catalog = new Catalog(home.catalogFile);
  catalog.entries.forgetTrees(id);
}

/** Makes the catalog forget what the sources of sets were like: their next runs read everything, and compare it with the newest restore points. */
export function forgetSets(home: Home, sets: readonly { readonly name: string }[]): void {
  using catalog = new Catalog(home.catalogFile);
  for (const { name } of sets) catalog.entries.removeSet(name);
}

export function namesIn(entries: readonly DestinationEntry[]): readonly string[] {
  return entries.map(({ name }) => name);
}

/** The names of the secrets that the settings refer to. */
function credentialsIn({ destinations, former = [] }: StoredSettings): readonly string[] {
  return [...destinations, ...former].flatMap(({ credentials }) => credentials ?? []);
}
