import { z } from 'zod';
import { ALARM_REASONS } from './contract/alarm.ts';
import { failure } from '../base/calls/answer.ts';
import { preferences } from './contract/preferences.ts';
import { updateState } from './contract/update.ts';
import { setName } from '../model/set.ts';
import { agentTrouble, dayState, mountState } from './home-state.ts';

/** Milliseconds since the epoch. */
const time = z.number();

/** One of several destinations. Methods take its id. */
export const place = z.object({ id: z.string(), name: z.string() });
export type Place = Readonly<z.infer<typeof place>>;

/** The cause of a run. */
export const trigger = z.enum(['person', 'schedule', 'missed', 'change', 'resume']);
export type Trigger = z.infer<typeof trigger>;

/** The reason why something due is waiting. */
export const waitReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('battery'), percent: z.number().optional(), atLeast: z.number().optional() }),
  z.object({ kind: z.literal('metered') }),
  z.object({ kind: z.literal('network'), name: z.string().optional() }),
  z.object({ kind: z.literal('paused'), until: time.optional() }),
  /** `set` is empty while a destination is checked or repaired. */
  z.object({ kind: z.literal('other-run'), set: z.string().max(100) }),
  z.object({ kind: z.literal('busy'), holder: z.string().optional() }),
  z.object({ kind: z.literal('destination'), location: z.string() }),
  z.object({ kind: z.literal('retry'), at: time, failure }),
]);
export type WaitReason = Readonly<z.infer<typeof waitReason>>;

/** The schedule's current decision on a set. */
export const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('next'), at: time }),
  /** On change: nothing has changed since the last run. `isPartial`: too much is watched, so some changes go unnoticed. */
  z.object({ kind: z.literal('watching'), isPartial: z.boolean() }),
  /** On change: files have changed, and the run waits until changes cease. */
  z.object({ kind: z.literal('quiet'), until: time }),
  z.object({ kind: z.literal('waiting'), since: time, reason: waitReason }),
  z.object({ kind: z.literal('running'), since: time, trigger }),
]);
export type Decision = Readonly<z.infer<typeof decision>>;

/** The last due time, with the cause if the run was more than a minute late. */
export const lastMoment = z.object({
  dueAt: time,
  ranAt: time,
  lateBy: z.enum(['asleep', 'off', 'waited', 'busy']).optional(),
  waitedFor: waitReason.optional(),
});
export type LastMoment = Readonly<z.infer<typeof lastMoment>>;

export const runKind = z.enum([
  'backup',
  'restore',
  'undo',
  'export',
  'mount',
  'verify',
  'drill',
  'check',
  'repair',
  'copy',
]);
export type RunKind = z.infer<typeof runKind>;

/** What the state has among its runs: a mount is in `mounts`. */
const activeKind = runKind.exclude(['mount']);

/** The outcome of a run. */
export const outcome = z.enum(['succeeded', 'warnings', 'failed', 'cancelled', 'interrupted']);
export type Outcome = z.infer<typeof outcome>;

/** The set of a run; empty for a check, a repair or a copy, which concern a destination. */
export const runSet = z.string().max(100);

/** A backup at one of its destinations. Numbers never decrease. */
export const runAtDestination = place.extend({
  /** `opening`: it has not answered yet. `done` and `failed`: nothing more happens there. */
  phase: z.enum(['opening', 'scanning', 'uploading', 'committing', 'done', 'failed']),
  bytesDone: z.int(),
  /** Missing while it is unknown. */
  bytesTotal: z.int().optional(),
  chunksDone: z.int(),
  chunksTotal: z.int().optional(),
  /** A stable word for what it is waiting for. */
  waiting: z.string().optional(),
  /** The reason, if it has failed. */
  failure: failure.optional(),
});
export type RunAtDestination = Readonly<z.infer<typeof runAtDestination>>;

/** An active run. Numbers never decrease. */
export const activeRun = z.object({
  /** The job's number, which `activity.run` takes too. */
  id: z.int(),
  kind: activeKind,
  set: runSet,
  trigger,
  startedAt: time,
  phase: z.enum(['scanning', 'uploading', 'committing', 'planning', 'downloading', 'finishing', 'stopping']),
  filesDone: z.int(),
  /** Missing while it is unknown. */
  filesTotal: z.int().optional(),
  bytesDone: z.int(),
  bytesTotal: z.int().optional(),
  /** While a backup scans: what it has seen, and what the newest restore point contains. Missing for a first backup. */
  scan: z.object({ bytes: z.int(), bytesExpected: z.int(), filesExpected: z.int() }).optional(),
  /** The throughput to the network or the disk over the last seconds, in bytes per second. */
  bytesPerSecond: z.number().optional(),
  currentPath: z.string().optional(),
  /** Missing while there is no reliable estimate. */
  etaSeconds: z.number().optional(),
  /** A stable word for what the run is waiting for. */
  waiting: z.string().optional(),
  lowPriority: z.string().optional(),
  /** The destination of a check or a repair, if there are several. */
  destination: place.optional(),
  /** The destinations of a backup, if there are several. The figures above are those of all. */
  destinations: z.array(runAtDestination).optional(),
});
export type ActiveRun = Readonly<z.infer<typeof activeRun>>;

/** A finished run. */
export const lastRun = z.object({
  id: z.int(),
  kind: runKind,
  outcome,
  startedAt: time,
  endedAt: time,
  warnings: z.int(),
  failure: failure.optional(),
});
export type LastRun = Readonly<z.infer<typeof lastRun>>;

export const setState = z.object({
  name: setName,
  roots: z.array(z.string()),
  schedule: z.string(),
  decision,
  /** The decision on its verification; missing if verification is not scheduled. */
  verification: decision.optional(),
  /** The decision on its test restores; missing if they are not scheduled. */
  drill: decision.optional(),
  /** The newest test restore that compared anything, at any destination. */
  lastDrill: z.object({ run: z.int(), at: time, files: z.int(), bytes: z.number(), failures: z.int() }).optional(),
  lastMoment: lastMoment.optional(),
  /** The newest run, at all of its destinations: with `warnings` if it failed at some of them, with the reason of the first. */
  lastBackup: lastRun.optional(),
  /** The newest known restore point, at any destination. */
  lastPoint: z.object({ at: time, files: z.int(), bytes: z.int() }).optional(),
  /** True if the newest backup was interrupted at a destination; the next one continues it. */
  isResumable: z.boolean(),
});
export type SetState = Readonly<z.infer<typeof setState>>;

/** The destination of a need; missing if there is only one, and if the need concerns all of them. */
const at = { destination: place.optional() };
/** True if not all of the warnings are about files that could not be backed up. */
const isGeneral = z.literal(true).optional();

/** Why a backup did without a folder of its set. */
export const folderProblem = z.enum(['missing', 'unreadable', 'not-mounted', 'empty', 'other-disk', 'subvolume']);
export type FolderProblem = z.infer<typeof folderProblem>;

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

/** The overall health, worst first if several apply; it determines the icon, the colour and the sentence. */
export const health = z.enum(['not-set-up', 'at-risk', 'attention', 'running', 'waiting', 'paused', 'protected']);
export type Health = z.infer<typeof health>;

export const destinationKind = z.enum(['folder', 'bucket', 'sftp', 'webdav', 'rclone', 'service']);

export const destinationState = z.object({
  kind: destinationKind,
  /** A path or an address. */
  location: z.string(),
  /** The free space, if it is known. */
  freeBytes: z.number().optional(),
});

/** By how much what a destination stores has grown in the last days, 30 at most. Negative if more was removed than stored. */
export const growth = z.object({ days: z.int().positive(), bytes: z.number() });
export type Growth = Readonly<z.infer<typeof growth>>;

/** A set at one destination. */
export const setAtDestination = z.object({
  set: setName,
  /** The end of the newest complete backup there. Missing if there was none. */
  lastGoodAt: time.optional(),
  /** The newest known restore point there. */
  lastPoint: z.object({ at: time, files: z.int(), bytes: z.int() }).optional(),
  /**
   * `none`: it was never backed up there. `running`: it is being backed up there now. Otherwise the outcome of its newest backup
   * there; `interrupted` also after a person stopped it, since the next one continues both.
   */
  state: z.enum(['none', 'running', 'succeeded', 'warnings', 'failed', 'interrupted']),
  /** The reason, if the newest backup failed. */
  failure: failure.optional(),
  /** The decision of the schedule that applies there. */
  decision,
});
export type SetAtDestination = Readonly<z.infer<typeof setAtDestination>>;

/** A configured destination, with the backups of each set there. */
export const configuredDestination = destinationState.extend({
  /** 8 hexadecimal digits, never used again. Methods take it. */
  id: z.string(),
  /** Unique regardless of case. */
  name: z.string(),
  /** False if it is known to be absent, like a disk that is not connected. Only folders are checked. */
  isAtHand: z.boolean(),
  /** True if files of a set are on the same disk, so that both are lost with it. Missing while it is not known, and for what is not a folder. */
  isOnSourceDisk: z.boolean().optional(),
  /**
   * In the form of `sets.get`: applies there to all sets, in place of their own schedules. With `manual`, no scheduled backup goes
   * there. If missing, each set has its own.
   */
  schedule: z.string().optional(),
  /** The share of parity there, in percent; missing at a service. */
  parity: z.int().optional(),
  /** In the order of the sets. */
  sets: z.array(setAtDestination),
  /** The bytes of all restore points there, if known, and what deduplication and compression saved, if any. */
  storage: z.object({
    storedBytes: z.number().optional(),
    savedBytes: z.number().optional(),
    compressedBytes: z.number().optional(),
    /** Missing while the backups there are younger than a week. */
    growth: growth.optional(),
    /** When the free space ends if the growth goes on, within five years. */
    fullAt: time.optional(),
  }),
});
export type ConfiguredDestination = Readonly<z.infer<typeof configuredDestination>>;

/** A restore that went on by itself after its process had ended. */
export const resumedRestore = z.object({
  run: z.int(),
  set: runSet,
  outcome,
  endedAt: time,
  /** Files that are back, those from before the interruption included, and their bytes. */
  files: z.int(),
  bytes: z.number(),
  filesFailed: z.int(),
  to: z.string().nullable(),
});
export type ResumedRestore = Readonly<z.infer<typeof resumedRestore>>;

/** The state of the window's lock. */
export const lockState = z.object({
  /** A password is set. */
  isOn: z.boolean(),
  isLocked: z.boolean(),
  /** True if the system can verify the person. */
  canAskSystem: z.boolean(),
  locksOnClose: z.boolean(),
  /** 0 for never. */
  idleMinutes: z.int(),
  /** No password is checked before this time. */
  waitUntil: time.optional(),
  /** The visible part of the first active run, while locked; `part` from 0 to 1. */
  run: z.object({ kind: activeKind, part: z.number().optional() }).optional(),
  /** While locked: all backups are lost with the disk that has the files. */
  isOnOneDisk: z.literal(true).optional(),
});
export type LockState = Readonly<z.infer<typeof lockState>>;

/** The state that the window, the tray and the notifications show; sent whenever it changes. */
export const appState = z.object({
  health,
  /** The time since which it applies; for `protected`, the end of the last backup. */
  since: time.optional(),
  version: z.string(),
  home: z.string(),
  /** Missing before setup. */
  destination: destinationState.optional(),
  /** All destinations, in order of preference; empty before setup. The first is `destination`, whose figures are above. */
  destinations: z.array(configuredDestination),
  device: z.object({ id: z.string(), name: z.string() }).optional(),
  sets: z.array(setState),
  runs: z.array(activeRun),
  /** Scheduled runs continue at `until`, or when the person resumes them. */
  pause: z.object({ until: time.optional() }).optional(),
  needs: z.array(need),
  storage: z.object({
    /** The bytes of all files in the newest restore points. */
    protectedBytes: z.number(),
    /** The bytes of all restore points at the destination, if known. */
    storedBytes: z.number().optional(),
    /** The bytes that deduplication saved of everything ever read, if known. */
    savedBytes: z.number().optional(),
    /** The bytes that compression saved of what was sent, if any. */
    compressedBytes: z.number().optional(),
  }),
  /** The last 30, oldest first. */
  days: z.array(dayState),
  mounts: z.array(mountState).optional(),
  /** The newest one of the last seven days, until the person has dismissed it. */
  resumedRestore: resumedRestore.optional(),
  preferences,
  /** Set while the settings cannot be read; nothing runs then. */
  damage: failure.optional(),
  /** Added by the main process while the agent does not start. */
  trouble: agentTrouble.optional(),
  /** Added by the main process for the window: how the program is updated. */
  update: updateState.optional(),
  /** Added by the main process for the window: it has no sandbox, since the system allows an AppImage none. */
  hasNoSandbox: z.boolean().optional(),
  /** Added by the main process for the window; while it is locked, names, paths and lists are left out above. */
  lock: lockState.optional(),
});
export type AppState = Readonly<z.infer<typeof appState>>;
