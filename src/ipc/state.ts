import { z } from 'zod';
import { failure } from '../base/calls/answer.ts';
import { need } from '../model/need.ts';
import { activeKind, activeRun, lastRun, outcome, runSet } from '../model/run.ts';
import { decision, lastMoment } from '../model/schedule/decision.ts';
import { preferences } from './contract/preferences.ts';
import { updateState } from './contract/update.ts';
import { setName } from '../model/set.ts';
import { agentTrouble, dayState, mountState } from './home-state.ts';

/** Milliseconds since the epoch. */
const time = z.number();

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
