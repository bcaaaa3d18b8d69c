import { existsSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomicallySync } from '../../base/atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { JsonFile, readTextIfPresentSync, type JsonFileDamage } from '../../base/json-file.ts';
import { configuredSet } from '../../ipc/contract/configured-set.ts';
import type { Home } from './home.ts';
import { lockSettings } from './settings-lock.ts';

export type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';

const destinationSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), directory: z.string().min(1) }),
  z.object({
    kind: z.literal('bucket'),
    /** `s3://BUCKET[/PREFIX]` */
    address: z.string().min(1),
    endpoint: z.url().optional(),
    region: z.string().min(1),
  }),
  z.object({
    kind: z.literal('sftp'),
    host: z.string().min(1),
    /** 22 by default. */
    port: z.int().min(1).max(65_535).optional(),
    user: z.string().min(1),
    /** Absolute, or relative to the user's own folder; empty for that folder itself. */
    path: z.string(),
    /** The fingerprint that was confirmed, as `ssh-keygen -l` shows it. */
    hostKey: z.string().min(1),
  }),
  z.object({ kind: z.literal('webdav'), url: z.url(), user: z.string().min(1).optional() }),
  /** `REMOTE:PATH` of rclone's own configuration. */
  z.object({ kind: z.literal('rclone'), remote: z.string().min(1) }),
  z.object({
    kind: z.literal('service'),
    url: z.url(),
    /** The sign-in of this computer: by its device key, or as a person whose refresh token is stored. */
    signIn: z.discriminatedUnion('kind', [
      /** `email` is of the person who registered the device, if known. */
      z.object({ kind: z.literal('device'), email: z.string().optional() }),
      z.object({ kind: z.literal('user'), email: z.string() }),
    ]),
  }),
]);
/** A repository in a store of files, or a remote service. */
export type Destination = Readonly<z.infer<typeof destinationSchema>>;

/**
 * Totals of all backups to a destination, in bytes: read, new before compression, uploaded, and stored there as of the newest
 * one.
 */
const destinationTotals = z.object({
  scanned: z.number(),
  fresh: z.number(),
  uploaded: z.number(),
  stored: z.number().optional(),
});
export type DestinationTotals = Readonly<z.infer<typeof destinationTotals>>;

/** A destination of earlier backups, which are still there. */
const formerDestination = z.object({
  destination: destinationSchema,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  credentials: z.string().optional(),
  /** Milliseconds since the epoch. */
  leftAt: z.number(),
  totals: destinationTotals.optional(),
});
export type FormerDestination = Readonly<z.infer<typeof formerDestination>>;

const settingsSchema = z.object({
  version: z.literal(1),
  destination: destinationSchema,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  /** `Keys.id` of the master key. Detects a lost or foreign secrets file before it does harm. */
  keyId: z.string().min(1),
  sets: z.array(configuredSet),
  /** `false` after a setup that asks words of its new phrase back, until they were given. */
  phraseConfirmed: z.boolean().optional(),
  /** When backups to the destination began, in milliseconds since the epoch. `undefined` for the first destination. */
  since: z.number().optional(),
  /** Totals of the backups before `since`, if the destination was left and returned to. */
  totals: destinationTotals.optional(),
  /** The name of its secrets (KeyStore.saveDestination). `undefined` for those of the setup. */
  credentials: z.string().optional(),
  /** Newest first. */
  former: z.array(formerDestination).optional(),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

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
export function loadSettings(home: Home): Settings | undefined {
  const found = settingsFile(home).readSync((damage) => fail(home, damage));
  if (found === undefined && existsSync(settingsBackupFile(home))) throw damaged(home, 'missing');
  return found;
}

/** Loads the settings of a home that is set up. @throws HoldfastError `not_set_up`, `home_damaged` */
export function requireSettings(home: Home): Settings {
  const settings = loadSettings(home);
  if (!settings) throw new HoldfastError('not_set_up', { home: home.folder });
  return settings;
}

/**
 * Changes the settings under their lock, so that no change of another process is lost, and returns them.
 *
 * @throws HoldfastError `not_set_up`, `home_damaged`, `home_busy`, `home_unwritable`; what `change` throws
 */
export function updateSettings(home: Home, change: (settings: Settings) => Settings): Settings {
  // A home that does not exist gets no lock file.
  requireSettings(home);
  using _lock = lockSettings(home);
  const next = change(requireSettings(home));
  saveSettings(home, next);
  return next;
}

/** The caller holds `lockSettings`. @throws HoldfastError `home_unwritable` */
export function saveSettings(home: Home, next: Settings): void {
  backUpSync(home);
  settingsFile(home).writeSync(next);
}

function settingsFile(home: Home): JsonFile<typeof settingsSchema> {
  return new JsonFile(home.settingsFile, settingsSchema);
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
  return ofEmbeddedService.safeParse(value).success ? 'earlier-version' : 'unreadable';
}

/** Settings from before folders held repositories. */
const ofEmbeddedService = z.object({ version: z.literal(1), destination: z.object({ kind: z.literal('embedded') }) });

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
