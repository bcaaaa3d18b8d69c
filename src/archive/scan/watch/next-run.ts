import type { Changes } from './changes.ts';
import { DAY, MINUTE } from '../../../model/units.ts';

/** Timing of a watched set's runs, in milliseconds. */
export interface WatchTiming {
  /** Time without changes before a run. */
  readonly quiet: number;
  /** Least time between the starts of two runs. */
  readonly interval: number;
}

export interface WatchState {
  readonly timing: WatchTiming;
  /** Start of the last run, in milliseconds since the epoch; `undefined` before the first. */
  readonly startedAt: number | undefined;
  readonly failed: boolean;
  readonly changes: Pick<Changes, 'firstAt' | 'lastAt'> | undefined;
  /** True if some folders are not watched. */
  readonly partial: boolean;
}

/** Continuous changes, as of a log, delay a run no longer than this. */
const LONGEST_DELAY = 30 * MINUTE;

/** Interval if not all folders are watched, and after a failure. */
const RETRY_INTERVAL = 15 * MINUTE;

/** Time of the next run, in milliseconds since the epoch: at least once a day, since events get lost. */
export function nextRunAt({ timing, startedAt, failed, changes, partial }: WatchState): number {
  if (startedAt === undefined) return 0;
  const latest = startedAt + (failed || partial ? Math.max(RETRY_INTERVAL, timing.interval) : DAY);
  if (!changes) return latest;
  const settledAt = Math.min(changes.lastAt + timing.quiet, changes.firstAt + Math.max(LONGEST_DELAY, timing.quiet));
  return Math.min(latest, Math.max(settledAt, startedAt + timing.interval));
}
