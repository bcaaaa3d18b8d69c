import { z } from 'zod';
import { COMPRESSIONS } from './compression.ts';

import { OWN_HOST } from '../base/loopback.ts';

/** A name given to a set by Holdfast. */
export const setName = z.string().min(1).max(100);
const path = z.string().min(1);
const strings = z.array(z.string()).readonly();

/** Conditions for the start of a scheduled run. A missing one does not matter. */
export const conditions = z.object({
  /** Percent. On battery, no run starts below this charge. */
  batteryAtLeast: z.int().min(1).max(100).optional(),
  /** Never on battery. */
  onlyOnMains: z.boolean().optional(),
  /** Not over a network that costs by volume. */
  notMetered: z.boolean().optional(),
  /** Only over networks (SSIDs) of these names. */
  networks: z.array(z.string().min(1)).readonly().optional(),
});
export type Conditions = Readonly<z.infer<typeof conditions>>;

/** Limits for the network and the processor. */
export const limits = z.object({
  /** KiB per second. */
  uploadKiB: z.int().min(1).optional(),
  downloadKiB: z.int().min(1).optional(),
  /** The hours in which the network limits hold, in minutes after midnight. Always by default. */
  hours: z.object({ from: z.int().min(0).max(1439), to: z.int().min(0).max(1439) }).optional(),
  priority: z.enum(['auto', 'low', 'normal']).optional(),
});
export type Limits = Readonly<z.infer<typeof limits>>;

/** The interval at which a sample of the stored chunks is downloaded and checked, and its size. */
export const verification = z.object({
  everyDays: z.int().min(1).max(365),
  samplePercent: z.int().min(1).max(100),
});
export type Verification = Readonly<z.infer<typeof verification>>;

/** The interval at which a sample is restored and compared. */
export const drill = z.object({ everyDays: z.int().min(1).max(365) });
export type Drill = Readonly<z.infer<typeof drill>>;

/** Files that a cloud drive keeps online and shows as placeholders: `skip` names them, `fetch` has the drive download them. */
export const onlineFiles = z.enum(['skip', 'fetch']);
export type OnlineFiles = z.infer<typeof onlineFiles>;

const NO_NUL = /^[^\0]*$/;

/** A command of this computer's own. */
export const hookCommand = z.object({
  /** A line for the shell, or a program with its arguments, which no shell reads. */
  run: z.union([
    z.string().min(1).max(4096).regex(NO_NUL),
    z.tuple([z.string().min(1).max(4096).regex(NO_NUL)], z.string().max(4096).regex(NO_NUL)).readonly(),
  ]),
  /** 600 by default. */
  timeoutSeconds: z.int().min(1).max(86_400).optional(),
});
export type HookCommand = Readonly<z.infer<typeof hookCommand>>;

/** Commands around each backup of a set. Only the settings file of this computer has them. */
export const hooks = z.object({
  /** No backup is made if it fails. */
  before: hookCommand.optional(),
  /** Runs after each backup, whatever its outcome. */
  after: hookCommand.optional(),
});
export type Hooks = Readonly<z.infer<typeof hooks>>;

/** An address that is told about backups: https, or http on this computer. */
const pingAddress = z
  .union([z.url({ protocol: /^https$/ }), z.url({ protocol: /^http$/, hostname: OWN_HOST })])
  .check(z.maxLength(2048), z.regex(/^https?:\/\/[^/?#@]+([/?#]|$)/i));

const pingText = z.string().max(2048).optional();
/** Addresses as a person types them. */
const pingTexts = z.object({ start: pingText, success: pingText, fail: pingText });

/** Addresses that are told when a backup starts, succeeds and fails, as Healthchecks and others expect. */
export const pings = z.object({
  start: pingAddress.optional(),
  success: pingAddress.optional(),
  fail: pingAddress.optional(),
});
export type Pings = Readonly<z.infer<typeof pings>>;

/** A backup set as the settings store it. The forms of the CLI and the window derive from it. */
export const configuredSet = z.object({
  name: setName,
  /** Absolute paths of this operating system. */
  roots: z.array(path).min(1).readonly(),
  /** gitignore patterns. */
  excludes: strings,
  presets: strings,
  oneFileSystem: z.boolean(),
  /** Roots that may be missing, as on a disk that is rarely connected: backups go on without them, and say nothing. */
  optionalRoots: z.array(path).readonly().optional(),
  privateNames: z.boolean(),
  /** How hard runs try to store less. `default` by default; what is stored already stays as it is. */
  compression: z.enum(COMPRESSIONS).optional(),
  /**
   * In words, as schedule/grammar.ts parses them: `manual`, `hourly`, `every 30 minutes`, `daily 18:30`,
   * `weekdays 18:30`, `weekly monday 18:30`, `cron 0 12 * * 1-5`, `on change after 10 minutes`. `manual` by default.
   */
  schedule: z.string().optional(),
  conditions: conditions.optional(),
  limits: limits.optional(),
  verification: verification.optional(),
  drill: drill.optional(),
  /** `skip` by default. */
  onlineFiles: onlineFiles.optional(),
  pings: pings.optional(),
  hooks: hooks.optional(),
});
export type ConfiguredSet = Readonly<z.infer<typeof configuredSet>>;

/** A backup set in the window's editor. Commands are apart: a window cannot save them with it. */
export const setForm = configuredSet.omit({ hooks: true }).extend({ pings: pingTexts.optional() });
export type SetForm = Readonly<z.infer<typeof setForm>>;
