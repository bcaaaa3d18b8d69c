import { nextMoment } from '../model/schedule/moments.ts';
import type { EndedRun } from './ended-run.ts';
import type { LastMoment, WaitReason } from '../model/schedule/decision.ts';
import type { Hold, Memory, Trouble } from './memory.ts';
import type { Schedule } from '../model/schedule/schedule.ts';
import { HOUR, MINUTE } from '../model/units.ts';

/** The delays from one failure to the next retry. The last one repeats. Milliseconds. */
const RETRY_AFTER = [5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR] as const;

/** An interrupted run resumes within a minute, unless it is interrupted again and again. */
const RESUME_AFTER = [20_000, ...RETRY_AFTER] as const;

/** A run of the app ends with its process, and resumes as soon as that starts again. */
const RESUME_OWN_AFTER = [0, 20_000, MINUTE, ...RETRY_AFTER] as const;

/** A run that was interrupted after this long has got on, so the interruptions before it do not count. */
const PROGRESS = 5 * MINUTE;

/** An unplugged disk may be back soon. While it is absent, nothing is tried. */
const DISK_AFTER = [MINUTE, ...RETRY_AFTER] as const;

/** The pause after a run that takes longer than its interval. */
const REST = 5 * MINUTE;

/** The delay before changes start a run again after a person stopped one. */
const STOPPED = HOUR;

/** A time server corrects the clock by at most this. */
const CORRECTION = HOUR;

/** The facts that a memory is updated with. */
export interface Recollection {
  readonly schedule: Schedule;
  readonly now: number;
  readonly timeZone?: string | undefined;
  /** The newest ended run, regardless of who started it. */
  readonly lastRun?: EndedRun | undefined;
  /** Codes of failures that no retry changes. If set, failures without a code are final, too. */
  readonly finalCodes?: readonly string[] | undefined;
}

/**
 * Updates a memory: starts one, or starts anew for another schedule, follows a clock that was set back, and takes a new
 * run into account.
 */
export function remembered(memory: Memory | undefined, recollection: Recollection): Memory {
  const { schedule, now, lastRun } = recollection;
  const known = memory ?? begun(recollection);
  const ofSchedule = forSchedule(known, JSON.stringify(schedule), now);
  const current = afterClockChange(ofSchedule, recollection);
  if (!lastRun || lastRun.startedAt === current.seenRun) return current;
  if (isPreempted(current, lastRun)) return { ...current, seenRun: lastRun.startedAt, ownRun: undefined };
  const { ownRun } = current;
  const isOwn = ownRun && lastRun.startedAt >= ownRun.from && lastRun.startedAt <= ownRun.to;
  const next = isOwn ? current : afterRun(current, lastRun, recollection);
  return { ...next, seenRun: lastRun.startedAt, ownRun: undefined };
}

/** The interruption that a preemption causes is no failure. */
function isPreempted({ preempted }: Memory, { outcome, startedAt }: EndedRun): boolean {
  return preempted !== undefined && outcome === 'interrupted' && startedAt <= preempted.at;
}

/** Without a memory, moments since the last run count as missed, which costs at most one superfluous run. */
function begun({ schedule, now, lastRun }: Recollection): Memory {
  return { schedule: JSON.stringify(schedule), servedThrough: Math.min(lastRun?.startedAt ?? now, now) };
}

function forSchedule(memory: Memory, schedule: string, now: number): Memory {
  if (memory.schedule === schedule) return memory;
  return { ...memory, schedule, servedThrough: now, notBefore: undefined, hold: undefined };
}

/** Takes an ended run into account: it serves moments, or is retried. */
export function afterRun(memory: Memory, run: EndedRun, { schedule, now, finalCodes }: Recollection): Memory {
  // The clock may have been set back since.
  const startedAt = Math.min(run.startedAt, now);
  const endedAt = Math.min(run.endedAt, now);
  const rested = { ...memory, trouble: undefined, preempted: undefined, notBefore: undefined, hold: undefined };
  switch (run.outcome) {
    case 'succeeded':
    case 'warnings':
      return {
        ...rested,
        servedThrough: Math.max(memory.servedThrough, servedBy(schedule, startedAt, endedAt)),
        lastGoodAt: Math.max(memory.lastGoodAt ?? 0, startedAt),
        changes: changesSince(memory, startedAt, endedAt),
      };
    case 'cancelled':
      return { ...rested, servedThrough: Math.max(memory.servedThrough, endedAt), notBefore: endedAt + STOPPED };
    case 'failed':
    case 'interrupted': {
      const isResult = finalCodes && (run.failure === undefined || finalCodes.includes(run.failure.code));
      const isFinal = run.outcome === 'failed' && isResult === true;
      const servedThrough = Math.max(memory.servedThrough, servedBy(schedule, startedAt, endedAt));
      if (isFinal) return { ...rested, servedThrough };
      const isExtra = run.outcome === 'failed' && run.isByPerson === true;
      const planned = isExtra ? memory.trouble : undefined;
      // A person's attempt comes on top of the planned ones, and serves no moment.
      if (planned) return { ...rested, trouble: stillPlanned(planned, run, endedAt) };
      return { ...rested, servedThrough, trouble: troubleAfter(memory.trouble, run, endedAt) };
    }
  }
}

function servedBy(schedule: Schedule, startedAt: number, endedAt: number): number {
  return schedule.kind === 'every' ? Math.max(startedAt, endedAt + REST - schedule.minutes * MINUTE) : startedAt;
}

/** Keeps changes from after the run's start, which it may have missed. Continuous changes count from its end. */
function changesSince({ changes }: Memory, startedAt: number, endedAt: number): Memory['changes'] {
  if (!changes || changes.lastAt < startedAt) return undefined;
  return { firstAt: Math.max(changes.firstAt, endedAt), lastAt: changes.lastAt };
}

function troubleAfter(before: Trouble | undefined, run: EndedRun, endedAt: number): Trouble {
  const isInterrupted = run.outcome === 'interrupted';
  const hasGotOn = isInterrupted && run.endedAt - run.startedAt >= PROGRESS;
  const count = hasGotOn ? 1 : (before?.count ?? 0) + 1;
  const failure = run.failure ?? { code: isInterrupted ? 'interrupted' : 'internal', details: {} };
  const resumesItself = isInterrupted && run.resumesItself === true;
  const retryAt = endedAt + retryDelay({ count, isInterrupted, failure, resumesItself });
  return { count, at: endedAt, retryAt, isInterrupted, failure, ...(resumesItself ? { resumesItself } : {}) };
}

/** Keeps the time of the next attempt. One that came due meanwhile is not made at once, since it would fail alike. */
function stillPlanned(planned: Trouble, { failure = planned.failure }: EndedRun, endedAt: number): Trouble {
  return { ...planned, failure, retryAt: Math.max(planned.retryAt, endedAt + MINUTE) };
}

function retryDelay({ count, isInterrupted, failure, resumesItself }: Omit<Trouble, 'at' | 'retryAt'>): number {
  const isDisk = failure.code === 'destination_missing';
  const resumeDelays = resumesItself === true ? RESUME_OWN_AFTER : RESUME_AFTER;
  const delays = isInterrupted ? resumeDelays : isDisk ? DISK_AFTER : RETRY_AFTER;
  return delays[Math.min(count, delays.length) - 1] ?? RETRY_AFTER[0];
}

/** After the clock was set back, limits remembered times to now and waits to their intended length. */
function afterClockChange(memory: Memory, { schedule, now, timeZone }: Recollection): Memory {
  const { servedThrough, lastGoodAt, trouble, preempted, changes, notBefore, hold } = memory;
  return {
    ...memory,
    servedThrough: servedThrough > now ? servedAfterSetBack(servedThrough, schedule, now, timeZone) : servedThrough,
    lastGoodAt: lastGoodAt !== undefined && lastGoodAt > now ? (lastGoodAt - now <= CORRECTION ? now : 0) : lastGoodAt,
    trouble: trouble && {
      ...trouble,
      at: Math.min(trouble.at, now),
      retryAt: Math.min(trouble.retryAt, now + retryDelay(trouble)),
    },
    preempted: preempted && { ...preempted, at: Math.min(preempted.at, now) },
    changes: changes && { firstAt: Math.min(changes.firstAt, now), lastAt: Math.min(changes.lastAt, now) },
    notBefore: notBefore === undefined ? undefined : Math.min(notBefore, now + STOPPED),
    hold: hold && { ...hold, since: Math.min(hold.since, now), reasonSince: Math.min(hold.reasonSince, now) },
  };
}

/**
 * A moment that repeats after the clock was set back is served already, but only the last served one, and only if it is
 * closer than half the interval to the next. A clock that was a year ahead must not stop the backups of a year.
 */
function servedAfterSetBack(before: number, schedule: Schedule, now: number, timeZone: string | undefined): number {
  if (schedule.kind === 'manual' || schedule.kind === 'every' || schedule.kind === 'on-change') return now;
  const again = nextMoment(schedule, now, timeZone);
  if (again === undefined || again > before) return now;
  const following = nextMoment(schedule, again, timeZone) ?? Number.POSITIVE_INFINITY;
  return before < following && again - now < (following - again) / 2 ? again : now;
}

/** Records a change in a set. */
export function afterChange(memory: Memory, at: number): Memory {
  return { ...memory, changes: { firstAt: memory.changes?.firstAt ?? at, lastAt: at } };
}

/** Records the start of a due run. @param moment `undefined` if it serves no moment of the schedule */
export function afterStart(memory: Memory, moment: LastMoment | undefined): Memory {
  return { ...memory, hold: undefined, lastMoment: moment ?? memory.lastMoment };
}

/** Records that a run is ended in favour of others. @param hasSent whether it has sent chunks */
export function afterPreemption(memory: Memory, at: number, hasSent: boolean): Memory {
  return { ...memory, preempted: { at, fruitless: hasSent ? 0 : (memory.preempted?.fruitless ?? 0) + 1 } };
}

/** Records that a due run waits. */
export function afterHold(memory: Memory, reason: WaitReason, now: number): Memory {
  return { ...memory, hold: nextHold(memory.hold, reason, now) };
}

function nextHold(hold: Hold | undefined, reason: WaitReason, now: number): Hold {
  if (!hold) return { since: now, reason, reasonSince: now };
  if (hold.reason.kind === reason.kind) return { ...hold, reason };
  const milliseconds = now - hold.reasonSince;
  const isLongest = milliseconds > (hold.longest?.milliseconds ?? 0);
  const longest = isLongest ? { reason: hold.reason, milliseconds } : hold.longest;
  return { since: hold.since, reason, reasonSince: now, longest };
}
