import { z } from 'zod';
import { failure } from '../base/calls/answer.ts';
import { place } from './destination.ts';

/** Milliseconds since the epoch. */
const time = z.number();

/** The cause of a run. */
export const trigger = z.enum(['person', 'schedule', 'missed', 'change', 'resume']);
export type Trigger = z.infer<typeof trigger>;

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
export const activeKind = runKind.exclude(['mount']);

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
