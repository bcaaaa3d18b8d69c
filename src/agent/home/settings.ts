import { existsSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomicallySync } from '../../base/atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { JsonFile, readTextIfPresentSync, type JsonFileDamage } from '../../base/json-file.ts';
import { conditions, limits, verification } from '../../ipc/contract/set-rules.ts';
import type { Home } from './home.ts';

const configuredSet = z.object({
  name: z.string().min(1),
  roots: z.array(z.string().min(1)).min(1),
  excludes: z.array(z.string()),
  presets: z.array(z.string()),
  oneFileSystem: z.boolean(),
  privateNames: z.boolean(),
  /** As it was given; schedule-spec.ts reads it. */
  schedule: z.string().optional(),
  conditions: conditions.optional(),
  limits: limits.optional(),
  verification: verification.optional(),
});
export type ConfiguredSet = Readonly<z.infer<typeof configuredSet>>;

const destination = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('embedded'), directory: z.string().min(1) }),
  z.object({
    kind: z.literal('bucket'),
    /** `s3://BUCKET[/PREFIX]` */
    address: z.string().min(1),
    endpoint: z.url().optional(),
    region: z.string().min(1),
    /** The folder of its metadata in the home, where it is not `bucket`. */
    folder: z.string().min(1).optional(),
  }),
  z.object({
    kind: z.literal('service'),
    url: z.url(),
    /** How this computer signs in: by its device key, or as a person whose refresh token is kept. */
    signIn: z.discriminatedUnion('kind', [
      /** `email` is of whoever registered it, where that is known. */
      z.object({ kind: z.literal('device'), email: z.string().optional() }),
      z.object({ kind: z.literal('user'), email: z.string() }),
    ]),
  }),
]);
/** Where backups go: the service inside this program, storing in a folder or a bucket; or a service somewhere. */
export type Destination = Readonly<z.infer<typeof destination>>;

/** As people know it: a folder, or an address. */
export function placeOf(where: Destination): string {
  switch (where.kind) {
    case 'embedded':
      return where.directory;
    case 'bucket':
      return where.address;
    case 'service':
      return where.url;
  }
}

/** Of all backups to a place: bytes that they read, that they sent, and that are stored there by the newest of them. */
const placeTotals = z.object({ scanned: z.number(), uploaded: z.number(), stored: z.number().optional() });
export type PlaceTotals = Readonly<z.infer<typeof placeTotals>>;

/** Where backups went before; they are still there. */
const formerPlace = z.object({
  destination,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  credentials: z.string().optional(),
  /** Milliseconds since the epoch. */
  leftAt: z.number(),
  totals: placeTotals.optional(),
});
export type FormerPlace = Readonly<z.infer<typeof formerPlace>>;

const settings = z.object({
  version: z.literal(1),
  destination,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  /** `Keys.id` of the master key, so that a lost or foreign secrets file is noticed before it does harm. */
  keyId: z.string().min(1),
  sets: z.array(configuredSet),
  /** False from a setup that asks words of its new phrase back until they were given. */
  phraseConfirmed: z.boolean().optional(),
  /** Since when backups go to the destination, in milliseconds since the epoch; nothing where they always have. */
  since: z.number().optional(),
  /** Of the backups that went there before that, where the destination was left and gone back to. */
  totals: placeTotals.optional(),
  /** The name of its secrets (KeyStore.keepPlace); nothing for those of the setup. */
  credentials: z.string().optional(),
  /** The newest first. */
  former: z.array(formerPlace).optional(),
});
export type Settings = Readonly<z.infer<typeof settings>>;

/** What the home was like before its newest change. */
export function keptSettingsFile(home: Home): string {
  return `${home.settingsFile}.bak`;
}

/**
 * The settings of a home; nothing where it was never set up.
 *
 * @throws HoldfastError `home_damaged` with `file`, `problem` and, where there is one, `kept`: the copy from before the
 *   newest change. A damaged file is never taken as an empty one.
 */
export function loadSettings(home: Home): Settings | undefined {
  const found = settingsFile(home).readSync((damage) => fail(home, damage));
  if (found === undefined && existsSync(keptSettingsFile(home))) throw damaged(home, 'missing');
  return found;
}

/** @throws HoldfastError `home_unwritable` */
export function saveSettings(home: Home, next: Settings): void {
  backUpSync(home);
  settingsFile(home).writeSync(next);
}

function settingsFile(home: Home): JsonFile<typeof settings> {
  return new JsonFile(home.settingsFile, settings);
}

function backUpSync(home: Home): void {
  let file = home.settingsFile;
  try {
    const before = readTextIfPresentSync(file);
    if (before === undefined) return;
    file = keptSettingsFile(home);
    writeFileAtomicallySync(file, before);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function fail(home: Home, damage: JsonFileDamage): never {
  if (damage.kind === 'inaccessible') throw unwritable(home.settingsFile, damage.error);
  throw damaged(home, isNewer(damage.value) ? 'newer-version' : 'unreadable', damage.error);
}

function isNewer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'version' in value && Number(value.version) > 1;
}

function unwritable(file: string, error: unknown): HoldfastError {
  return new HoldfastError('home_unwritable', { file, problem: systemCodeOf(error) }, { cause: error });
}

function damaged(home: Home, problem: string, cause?: unknown): HoldfastError {
  const kept = keptSettingsFile(home);
  const details = { file: home.settingsFile, problem, kept: existsSync(kept) ? kept : undefined };
  return new HoldfastError('home_damaged', details, { cause });
}
