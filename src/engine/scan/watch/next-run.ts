import type { Changes } from './changes.ts';

/** How a watched set is to be backed up. Milliseconds. */
export interface WatchTiming {
  /** Nothing may have changed for so long. */
  readonly quiet: number;
  /** From the start of one run to the start of the next, at least. */
  readonly interval: number;
}

export interface WatchState {
  readonly pace: WatchTiming;
  /** When the last run started, in milliseconds since the epoch; nothing before the first. */
  readonly startedAt: number | undefined;
  readonly failed: boolean;
  readonly changes: Pick<Changes, 'firstAt' | 'lastAt'> | undefined;
  /** Whether changes may go unheard. */
  readonly partial: boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Something that never comes to rest, such as a log, is backed up nevertheless. */
const LONGEST_UNREST = 30 * MINUTE;

/** Where not everything is heard of, and after a failure. */
const AGAIN_AFTER = 15 * MINUTE;

/** When the next run is due, in milliseconds since the epoch: once a day in any case, since events get lost. */
export function nextRunAt({ pace, startedAt, failed, changes, partial }: WatchState): number {
  if (startedAt === undefined) return 0;
  const anyway = startedAt + (failed || partial ? Math.max(AGAIN_AFTER, pace.interval) : DAY);
  if (!changes) return anyway;
  const atRest = Math.min(changes.lastAt + pace.quiet, changes.firstAt + Math.max(LONGEST_UNREST, pace.quiet));
  return Math.min(anyway, Math.max(atRest, startedAt + pace.interval));
}
