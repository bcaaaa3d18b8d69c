import { z } from 'zod';
import { failure } from '../base/calls/answer.ts';
import { place } from './destination.ts';
import { setName } from './set.ts';

/** Milliseconds since the epoch. */
const time = z.number();

/** The reasons why a run looked like ransomware at work; a service may add more. */
export const ALARM_REASONS = [
  'mass_rewrite',
  'mass_encryption',
  'mass_deletion',
  'mass_damage',
  'known_names',
] as const;
export type AlarmReason = (typeof ALARM_REASONS)[number];

/** Why a backup did without a folder of its set. */
export const folderProblem = z.enum(['missing', 'unreadable', 'not-mounted', 'empty', 'other-disk', 'subvolume']);
export type FolderProblem = z.infer<typeof folderProblem>;

/** The destination of a need; missing if there is only one, and if the need concerns all of them. */
const at = { destination: place.optional() };
/** True if not all of the warnings are about files that could not be backed up. */
const isGeneral = z.literal(true).optional();

/** A condition that needs the person's attention. */
export const need = z.discriminatedUnion('kind', [
  /** There is no backup set. `restorable` counts those that can be restored here, as of other computers; missing while it is not known. */
  z.object({ kind: z.literal('no-set'), restorable: z.int().optional() }),
  z.object({ kind: z.literal('first-backup'), set: setName, ...at }),
  z.object({ kind: z.literal('failed'), set: setName, failure, at: time, ...at }),
  z.object({ kind: z.literal('no-backup-for'), set: setName, days: z.int(), ...at }),
  z.object({ kind: z.literal('warnings'), set: setName, run: z.int(), count: z.int(), isGeneral, ...at }),
  /** The command after the newest backup failed. */
  z.object({ kind: z.literal('command-failed'), set: setName, run: z.int() }),
  /** A folder of a set, or a disk in one, that the last backup did without. */
  z.object({ kind: z.literal('folder-missing'), set: setName, folder: z.string(), problem: folderProblem }),
  z.object({ kind: z.literal('destination-missing'), location: z.string(), ...at }),
  z.object({ kind: z.literal('signed-out'), ...at }),
  /** This computer's clock is more than five minutes ahead of the service's, or behind it (negative). */
  z.object({ kind: z.literal('clock-wrong'), aheadMs: z.number().optional() }),
  z.object({ kind: z.literal('phrase-unconfirmed') }),
  z.object({ kind: z.literal('verification-failed'), set: setName, run: z.int(), ...at }),
  /** A check found damage that a repair mends, as far as it can be mended. `isDoubtful`: as `points-unlisted`. */
  z.object({ kind: z.literal('destination-damaged'), run: z.int(), isDoubtful: z.literal(true).optional(), ...at }),
  /** What the destination lists cannot be vouched for: newer or other restore points may exist. */
  z.object({ kind: z.literal('points-unlisted'), ...at }),
  /** Restore points lack files after a repair, or are gone; the next backup of the set stores those again that are still here. */
  z.object({ kind: z.literal('content-missing'), set: setName, run: z.int(), files: z.int(), points: z.int(), ...at }),
  /** The weekly report could not be sent for a day. */
  z.object({ kind: z.literal('report-failed'), failure, at: time }),
  z.object({ kind: z.literal('agent-restarted'), at: time }),
  /** A restore that was interrupted, or never began, and has not continued by itself. */
  z.object({
    kind: z.literal('restore-unfinished'),
    set: setName,
    to: z.string().nullable(),
    /** It continues once this volume is available; if this and `failure` are missing, once no other run is active. */
    waitsFor: z.string().optional(),
    /** The reason why it does not continue by itself. */
    failure: failure.optional(),
  }),
  /** A run looked like ransomware at work, and nothing is removed until a person releases it (`alarm.release`). */
  z.object({
    kind: z.literal('suspicious-run'),
    /** Missing if it was not a set of this computer. */
    set: setName.optional(),
    run: z.int().optional(),
    at: time,
    reasons: z.array(z.enum(ALARM_REASONS)),
    /** The newest restore point from before it. */
    safePoint: z.string().optional(),
  }),
]);
export type Need = Readonly<z.infer<typeof need>>;
