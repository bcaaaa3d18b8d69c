import { existsSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { JsonFile, readTextIfPresentSync, type JsonFileDamage } from '../../base/files/json-file.ts';
import { configuredSet } from '../../model/set.ts';
import { destinationEntry, formerDestination, type DestinationEntry } from './destination-entry.ts';
import type { Home } from './home.ts';
import { lockSettings } from './settings-lock.ts';

const storedSettings = z.object({
  version: z.literal(1),
  /** In order of preference. */
  destinations: z.array(destinationEntry).min(1),
  /** `Keys.id` of the master key. Detects a lost or foreign secrets file before it does harm. */
  keyId: z.string().min(1),
  sets: z.array(configuredSet),
  /** `false` after a setup that asks words of its new phrase back, until they were given. */
  phraseConfirmed: z.boolean().optional(),
  /** Newest first. */
  former: z.array(formerDestination).optional(),
});
/** The settings of a home, with all destinations. */
export type StoredSettings = Readonly<z.infer<typeof storedSettings>>;

/** The settings of a home, as code sees them that works with one of its destinations. */
export interface Settings extends Omit<StoredSettings, 'destinations'>, DestinationEntry {
  /** All destinations as they are stored, in order of preference. Changing them here has no effect. */
  readonly all: readonly DestinationEntry[];
  /** All but this one. */
  readonly others: readonly DestinationEntry[];
}

/** The copy of the settings from before the newest change. */
export function settingsBackupFile(home: Home): string {
  return `${home.settingsFile}.bak`;
}

/**
 * Loads the settings of a home. Returns `undefined` before setup. A damaged file never counts as an empty one.
 *
 * @throws HoldfastError `home_damaged` with `file`, `problem` and, if it exists, `kept`: the copy from before the newest
 *   change
 */
export function loadStoredSettings(home: Home): StoredSettings | undefined {
  const found = settingsFile(home).readSync((damage) => fail(home, damage));
  if (found === undefined && existsSync(settingsBackupFile(home))) throw damaged(home, 'missing');
  return found;
}

/** Loads the settings of a home that is set up. @throws HoldfastError `not_set_up`, `home_damaged` */
export function requireStoredSettings(home: Home): StoredSettings {
  const settings = loadStoredSettings(home);
  if (!settings) throw new HoldfastError('not_set_up', { home: home.folder });
  return settings;
}

/**
 * Loads the settings with one destination: the one of this id, else the first. Returns `undefined` before setup.
 *
 * @throws HoldfastError `home_damaged`, `destination_unknown`
 */
export function loadSettings(home: Home, id?: string): Settings | undefined {
  const stored = loadStoredSettings(home);
  return stored && settingsFor(stored, id);
}

/** Loads the settings with one destination of a home that is set up. @throws HoldfastError `not_set_up`, and as `loadSettings` */
export function requireSettings(home: Home, id?: string): Settings {
  return settingsFor(requireStoredSettings(home), id);
}

/** Returns the folders of a set that is backed up from this computer; none of another one. */
export function ownRoots(
  home: Home,
  { set, device }: { readonly set: string; readonly device?: string | undefined },
): readonly string[] {
  const settings = loadSettings(home);
  if (!settings || (device !== undefined && device !== settings.deviceId)) return [];
  return settings.sets.find(({ name }) => name === set)?.roots ?? [];
}

/** Returns the settings with one destination: the one of this id, else the first. @throws HoldfastError `destination_unknown` */
export function settingsFor({ destinations, ...common }: StoredSettings, id = destinations[0]!.id): Settings {
  const entry = destinations.find((other) => other.id === id);
  if (!entry) throw new HoldfastError('destination_unknown');
  return { ...common, ...entry, all: destinations, others: destinations.filter((other) => other !== entry) };
}

/**
 * Changes the settings under their lock, so that no change of another process is lost, and returns them. The other
 * destinations stay as they are.
 *
 * @param id of the destination that `change` gets. The first by default
 * @throws HoldfastError `not_set_up`, `home_damaged`, `home_busy`, `home_unwritable`, `destination_unknown`; what `change`
 *   throws
 */
export function updateSettings(home: Home, change: (settings: Settings) => Settings, id?: string): Settings {
  const stored = updateStoredSettings(home, (before) => withSettings(before, change(settingsFor(before, id))));
  return settingsFor(stored, id);
}

/** Changes the list of destinations too, as `updateSettings`. */
export function updateStoredSettings(home: Home, change: (settings: StoredSettings) => StoredSettings): StoredSettings {
  // A home that does not exist gets no lock file.
  requireStoredSettings(home);
  using _lock = lockSettings(home);
  const next = change(requireStoredSettings(home));
  saveStoredSettings(home, next);
  return next;
}

/** The caller holds `lockSettings`. @throws HoldfastError `home_unwritable` */
export function saveStoredSettings(home: Home, next: StoredSettings): void {
  backUpSync(home);
  settingsFile(home).writeSync(next);
}

/** Writes the fields of one destination back into its entry. */
export function withSettings(
  stored: StoredSettings,
  { all: _all, others: _others, ...view }: Settings,
): StoredSettings {
  const { id, name, destination, deviceId, deviceName, credentials, schedule, parity, ...common } = view;
  const entry = { id, name, destination, deviceId, deviceName, credentials, schedule, parity };
  return { ...common, destinations: stored.destinations.map((other) => (other.id === id ? entry : other)) };
}

function settingsFile(home: Home): JsonFile<typeof storedSettings> {
  return new JsonFile(home.settingsFile, storedSettings);
}

function backUpSync(home: Home): void {
  let file = home.settingsFile;
  try {
    const before = readTextIfPresentSync(file);
    if (before === undefined) return;
    file = settingsBackupFile(home);
    writeFileAtomicallySync(file, before);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function fail(home: Home, damage: JsonFileDamage): never {
  if (damage.kind === 'inaccessible') throw unwritable(home.settingsFile, damage.error);
  throw damaged(home, problemOf(damage.value), damage.error);
}

function problemOf(value: unknown): string {
  if (isNewer(value)) return 'newer-version';
  return ofOneDestination.safeParse(value).success ? 'earlier-version' : 'unreadable';
}

/** Settings from before there were several destinations. */
const ofOneDestination = z.object({ version: z.literal(1), destination: z.object({ kind: z.string() }) });

function isNewer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'version' in value && Number(value.version) > 1;
}

function unwritable(file: string, error: unknown): HoldfastError {
  return new HoldfastError('home_unwritable', { file, problem: systemCodeOf(error) }, { cause: error });
}

function damaged(home: Home, problem: string, cause?: unknown): HoldfastError {
  const kept = settingsBackupFile(home);
  const details = { file: home.settingsFile, problem, kept: existsSync(kept) ? kept : undefined };
  return new HoldfastError('home_damaged', details, { cause });
}
