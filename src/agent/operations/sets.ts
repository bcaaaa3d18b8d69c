import { HoldfastError } from '../../base/errors/errors.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { Home } from '../home/home.ts';
import { requireSettings, updateSettings, type Settings } from '../home/settings.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { configuredSetOf, type NewSet } from '../sets/new-set.ts';
import { ownFolders, ownFoldersWithin } from '../sets/own-folders.ts';
import { removePendingPolicies } from '../sets/pending-retention.ts';

export interface AddedSet {
  readonly set: ConfiguredSet;
  /** Holdfast's own folders within the set, which its backups skip. */
  readonly passedOver: readonly string[];
}

/** Finds a configured set. @throws HoldfastError `set_unknown` with the `known` ones */
export function requireSet(settings: Settings, name: string): ConfiguredSet {
  const set = settings.sets.find((other) => other.name === name);
  if (set) return set;
  throw new HoldfastError('set_unknown', { set: name, known: settings.sets.map((other) => other.name) });
}

/** Lists the sets of this computer. */
export function sets({ home }: AgentParts): readonly ConfiguredSet[] {
  return requireSettings(home).sets;
}

/** @throws HoldfastError `set_unknown` */
export function oneSet({ home }: AgentParts, { set }: { readonly set: string }): ConfiguredSet {
  return requireSet(requireSettings(home), set);
}

/** @throws HoldfastError `set_exists`, and what `configuredSetOf` and `updateSettings` throw */
export function addSet({ home }: Pick<AgentParts, 'home'>, { form }: { readonly form: NewSet }): AddedSet {
  const saved = updateSettings(home, (settings) => {
    if (settings.sets.some((other) => other.name === form.name)) {
      throw new HoldfastError('set_exists', { set: form.name });
    }
    return { ...settings, sets: [...settings.sets, configuredSetOf(form, ownFolders(home, settings))] };
  });
  return addedSet(home, saved, form.name);
}

/**
 * Replaces a configured set. Its name stays, and so do its restore points and its commands, which `changeHooks` changes.
 *
 * @throws HoldfastError `set_unknown`, and what `configuredSetOf` and `updateSettings` throw
 */
export function saveSet(
  { home }: Pick<AgentParts, 'home'>,
  { set: name, form }: { readonly set: string; readonly form: Omit<NewSet, 'name' | 'hooks'> },
): AddedSet {
  const saved = updateSettings(home, (settings) => {
    const before = requireSet(settings, name);
    const kept = { name, ...(before.hooks && { hooks: before.hooks }) };
    const set = configuredSetOf({ ...form, ...kept }, ownFolders(home, settings), before);
    return { ...settings, sets: settings.sets.map((other) => (other === before ? set : other)) };
  });
  return addedSet(home, saved, name);
}

/** Removes a set from the settings. Its restore points stay at the destination. @throws HoldfastError `set_unknown` */
export function removeSet({ home }: AgentParts, { set: name }: { readonly set: string }): void {
  updateSettings(home, (settings) => {
    const set = requireSet(settings, name);
    return { ...settings, sets: settings.sets.filter((other) => other !== set) };
  });
  removePendingPolicies(home, name);
}

function addedSet(home: Home, settings: Settings, name: string): AddedSet {
  const set = requireSet(settings, name);
  return { set, passedOver: ownFoldersWithin(set.roots, ownFolders(home, settings)) };
}
