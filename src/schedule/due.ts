import { nextMoment } from '../model/schedule/moments.ts';
import type { Memory, Trouble } from './memory.ts';
import type { CalendarSchedule, Schedule } from '../model/schedule/schedule.ts';
import { DAY, MINUTE } from '../model/units.ts';

/** The next due run, in the past or the future. Milliseconds since the epoch. */
export interface Due {
  readonly at: number;
  readonly cause: 'moment' | 'change' | 'retry' | 'resume';
}

/** A run this long before a moment serves it too, or a quarter of the time to the next moment if that is less. */
const NEAR = 30 * MINUTE;

/** Continuous changes wait at most for this many quiet times after the first one. */
const LONGEST_UNREST = 6;

/** Events get lost, so a watched set is backed up this often in any case, and more often if some changes go unnoticed. */
const LOOK_AFTER = DAY;
const LOOK_AFTER_PARTIAL = 15 * MINUTE;

/** The delay after a network change before a run that failed without network is tried again. */
const AFTER_NETWORK = 10_000;

/** An unstable network delays the retry by another minute after each failure, up to this. */
const CALM = 5 * MINUTE;

/** Runs that keep failing are this far apart, even if their schedule has more moments. */
const TRY_APART = 60 * MINUTE;

export interface DueFacts {
  readonly schedule: Schedule;
  readonly timeZone?: string | undefined;
  /** True if some changes go unnoticed; for `on-change` schedules. */
  readonly isPartial?: boolean | undefined;
  /** When the network last changed, if known. */
  readonly networkSince?: number | undefined;
}

/** Returns `undefined` if only a person starts runs, and none was preempted. */
export function nextDue(memory: Memory, facts: DueFacts): Due | undefined {
  const { schedule, timeZone } = facts;
  const { trouble, preempted } = memory;
  if (preempted) return { at: preempted.at, cause: 'resume' };
  if (trouble && (schedule.kind !== 'manual' || trouble.resumesItself === true)) return nextTry(trouble, memory, facts);
  switch (schedule.kind) {
    case 'manual':
      return undefined;
    case 'every':
      return { at: memory.servedThrough + schedule.minutes * MINUTE, cause: 'moment' };
    case 'on-change':
      return changeDue(memory, schedule.quietMinutes * MINUTE, facts.isPartial === true);
    case 'daily':
    case 'weekly':
    case 'cron': {
      const at = unservedMoment(memory, schedule, timeZone);
      return at === undefined ? undefined : { at, cause: 'moment' };
    }
  }
}

/** Returns the time of the retry, or an earlier moment of the schedule. */
function nextTry(trouble: Trouble, memory: Memory, facts: DueFacts): Due {
  const at = retryAt(trouble, facts);
  const moment = Math.max(nextMomentOf(memory, facts), trouble.at + TRY_APART);
  return moment < at ? { at: moment, cause: 'moment' } : { at, cause: trouble.isInterrupted ? 'resume' : 'retry' };
}

function retryAt({ failure, at, retryAt: planned, count }: Trouble, { networkSince = 0 }: DueFacts): number {
  const mayHelp = failure.code === 'service_unreachable' && networkSince > at;
  if (!mayHelp) return planned;
  return Math.min(planned, Math.max(networkSince + AFTER_NETWORK, at + Math.min(count * MINUTE, CALM)));
}

/** Infinite for a schedule without moments. */
function nextMomentOf({ servedThrough }: Memory, { schedule, timeZone }: DueFacts): number {
  if (schedule.kind === 'manual' || schedule.kind === 'on-change') return Number.POSITIVE_INFINITY;
  if (schedule.kind === 'every') return servedThrough + schedule.minutes * MINUTE;
  return nextMoment(schedule, servedThrough, timeZone) ?? Number.POSITIVE_INFINITY;
}

/** Returns the first moment that no run has served. Several missed moments count as one. */
function unservedMoment(memory: Memory, schedule: CalendarSchedule, timeZone: string | undefined): number | undefined {
  let moment = nextMoment(schedule, memory.servedThrough, timeZone);
  while (moment !== undefined) {
    const following = nextMoment(schedule, moment, timeZone);
    if (!isServedAhead(moment, following ?? Number.POSITIVE_INFINITY, memory)) return moment;
    moment = following;
  }
  return undefined;
}

function isServedAhead(moment: number, following: number, { lastGoodAt }: Memory): boolean {
  return lastGoodAt !== undefined && moment - lastGoodAt <= Math.min(NEAR, (following - moment) / 4);
}

function changeDue(
  { servedThrough, lastGoodAt, changes, notBefore = 0 }: Memory,
  quiet: number,
  isPartial: boolean,
): Due {
  const again = isPartial ? Math.max(LOOK_AFTER_PARTIAL, quiet) : LOOK_AFTER;
  const anyway = servedThrough + (lastGoodAt === undefined ? quiet : again);
  if (!changes) return { at: Math.max(anyway, notBefore), cause: 'moment' };
  const atRest = Math.min(changes.lastAt + quiet, changes.firstAt + LONGEST_UNREST * quiet);
  return { at: Math.max(Math.min(atRest, anyway), notBefore), cause: atRest <= anyway ? 'change' : 'moment' };
}
