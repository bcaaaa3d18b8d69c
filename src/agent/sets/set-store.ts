import { HoldfastError } from '../../base/errors.ts';
import type { Home } from '../home/home.ts';
import { loadSettings, saveSettings, type ConfiguredSet, type Settings } from '../home/settings.ts';
import { SettingsLock } from '../home/settings-lock.ts';
import { configuredSetOf, ownFoldersWithin, type NewSet } from './new-set.ts';

export interface AddedSet {
  readonly set: ConfiguredSet;
  /** Holdfast's own folders within the set, which its backups pass over. */
  readonly passedOver: readonly string[];
}

/** The settings of a home. @throws HoldfastError `not_set_up`, `home_damaged` */
export function requireSettings(home: Home): Settings {
  const settings = loadSettings(home);
  if (!settings) throw new HoldfastError('not_set_up', { home: home.folder });
  return settings;
}

/** A configured set. @throws HoldfastError `set_unknown` with the `known` ones */
export function requireSet(settings: Settings, name: string): ConfiguredSet {
  const set = settings.sets.find((other) => other.name === name);
  if (set) return set;
  throw new HoldfastError('set_unknown', { set: name, known: settings.sets.map((other) => other.name) });
}

/** Where Holdfast keeps its own data, now or before: never backed up. */
export function ownFolders(home: Home, { destination, former = [] }: Settings): readonly string[] {
  const places = [destination, ...former.map((place) => place.destination)];
  return [home.folder, ...places.flatMap((place) => (place.kind === 'embedded' ? [place.directory] : []))];
}

/** @throws HoldfastError `set_exists`, and what `configuredSetOf` throws */
export function addSet(home: Home, request: NewSet): AddedSet {
  requireSettings(home);
  using _lock = SettingsLock.acquire(home);
  const settings = requireSettings(home);
  if (settings.sets.some((other) => other.name === request.name)) {
    throw new HoldfastError('set_exists', { set: request.name });
  }
  const own = ownFolders(home, settings);
  const set = configuredSetOf(request, own);
  saveSettings(home, { ...settings, sets: [...settings.sets, set] });
  return { set, passedOver: ownFoldersWithin(set.roots, own) };
}

/**
 * Puts what is asked for in the place of a set that is there; its name stays, and so do its restore points.
 *
 * @throws HoldfastError `set_unknown`, and what `configuredSetOf` throws
 */
export function saveSet(home: Home, name: string, request: Omit<NewSet, 'name'>): AddedSet {
  requireSettings(home);
  using _lock = SettingsLock.acquire(home);
  const settings = requireSettings(home);
  const before = requireSet(settings, name);
  const own = ownFolders(home, settings);
  const set = configuredSetOf({ ...request, name }, own, before.roots);
  saveSettings(home, { ...settings, sets: settings.sets.map((other) => (other === before ? set : other)) });
  return { set, passedOver: ownFoldersWithin(set.roots, own) };
}

/** Forgets a set here; its restore points stay where they are. @throws HoldfastError `set_unknown` */
export function removeSet(home: Home, name: string): ConfiguredSet {
  requireSettings(home);
  using _lock = SettingsLock.acquire(home);
  const settings = requireSettings(home);
  const set = requireSet(settings, name);
  saveSettings(home, { ...settings, sets: settings.sets.filter((other) => other !== set) });
  return set;
}
