import { unmetCondition, type ConditionReadings, type RunConditions } from './conditions.ts';
import type { EndedRun } from './ended-run.ts';
import type { Decision, LastMoment, WaitReason } from '../model/schedule/decision.ts';
import type { Trigger } from '../model/run.ts';
import { nextDue, type Due } from './due.ts';
import { momentOf, type Gap } from './lateness.ts';
import type { Memory } from './memory.ts';
import { afterHold, remembered } from './remember.ts';
import type { Schedule } from '../model/schedule/schedule.ts';

/** The facts for a decision about one set. Times in milliseconds since the epoch. */
export interface Facts {
  readonly schedule: Schedule;
  readonly now: number;
  /** A time zone of the IANA database. This computer's by default. */
  readonly timeZone?: string | undefined;
  /** From the last verdict. `undefined` before the first, or if it was lost. */
  readonly memory?: Memory | undefined;
  /** The newest ended run, regardless of who started it. */
  readonly lastRun?: EndedRun | undefined;
  /** See `Recollection`. */
  readonly finalCodes?: readonly string[] | undefined;
  readonly gaps: readonly Gap[];
  readonly conditions?: RunConditions | undefined;
  readonly readings: ConditionReadings;
  /** When the network last changed, if known. */
  readonly networkSince?: number | undefined;
  readonly pause?: { readonly since: number; readonly until?: number | undefined } | undefined;
  /** The run that is under way, of this set or another. */
  readonly running?: ActiveRun | undefined;
  /** Set while another process has locked the home. */
  readonly busy?: { readonly holder?: string | undefined } | undefined;
  /** The destination, while it is absent. */
  readonly absentLocation?: string | undefined;
  /** True if some changes go unnoticed; for `on-change` schedules. */
  readonly isPartial?: boolean | undefined;
}

export interface ActiveRun {
  readonly set: string;
  /** True if the decision is about this run. */
  readonly isThis: boolean;
  readonly since: number;
  readonly trigger: Trigger;
}

/** A run that should begin now. */
export interface Start {
  readonly trigger: Trigger;
  readonly dueAt: number;
  /** `undefined` for a retry or a resumed run, which serve no moment of the schedule. */
  readonly moment: LastMoment | undefined;
}

export interface Verdict {
  readonly decision: Decision;
  /** Belongs to the next facts. */
  readonly memory: Memory;
  readonly start?: Start;
}

/** Networks and disks need this long after waking or starting. Milliseconds. */
const SETTLE = 15_000;

/** Decides what a schedule requires at a time, and whether a run begins. Pure: it reads no clock and changes nothing. */
export function decide(facts: Facts): Verdict {
  const { now, running } = facts;
  const memory = remembered(facts.memory, facts);
  if (running?.isThis === true) {
    return { decision: { kind: 'running', since: running.since, trigger: running.trigger }, memory };
  }
  const due = nextDue(memory, facts);
  if (!due) return { decision: { kind: 'manual' }, memory: withoutHold(memory) };
  const at = settled(due.at, facts);
  if (at > now) {
    return { decision: upcoming(at, due, memory, facts), memory: due.at > now ? withoutHold(memory) : memory };
  }
  const reason = whatBlocks(facts);
  if (!reason) return starting(due, memory, facts);
  const held = afterHold(memory, reason, now);
  return { decision: { kind: 'waiting', since: held.hold?.since ?? now, reason }, memory: held };
}

/** Returns when a decision expires by itself. `undefined` if only an event can change it. */
export function decideAgainAt(decision: Decision): number | undefined {
  switch (decision.kind) {
    case 'next':
      return decision.at;
    case 'quiet':
      return decision.until;
    case 'waiting':
      return decision.reason.kind === 'retry' ? decision.reason.at : undefined;
    case 'manual':
    case 'watching':
    case 'running':
      return undefined;
  }
}

function settled(at: number, { gaps, now }: Facts): number {
  // A gap that ends in the future is from before the clock was set back.
  return gaps.filter((gap) => gap.to <= now).reduce((latest, gap) => Math.max(latest, gap.to + SETTLE), at);
}

function withoutHold(memory: Memory): Memory {
  return memory.hold ? { ...memory, hold: undefined } : memory;
}

function upcoming(at: number, due: Due, memory: Memory, { schedule, pause, isPartial }: Facts): Decision {
  if (pause) return { kind: 'waiting', since: pause.since, reason: pausedUntil(pause) };
  if (memory.trouble) {
    const { at: since, failure } = memory.trouble;
    return { kind: 'waiting', since, reason: { kind: 'retry', at, failure } };
  }
  if (schedule.kind !== 'on-change') return { kind: 'next', at };
  if (due.cause === 'change') return { kind: 'quiet', until: at };
  return memory.lastGoodAt === undefined ? { kind: 'next', at } : { kind: 'watching', isPartial: isPartial === true };
}

/** Reasons that a person can act on come first. */
function whatBlocks({ pause, conditions, readings, absentLocation, running, busy }: Facts): WaitReason | undefined {
  if (pause) return pausedUntil(pause);
  const unmet = unmetCondition(conditions ?? {}, readings);
  if (unmet) return unmet;
  if (absentLocation !== undefined) return { kind: 'destination', location: absentLocation };
  if (running) return { kind: 'other-run', set: running.set };
  if (!busy) return undefined;
  return busy.holder === undefined ? { kind: 'busy' } : { kind: 'busy', holder: busy.holder };
}

function pausedUntil({ until }: NonNullable<Facts['pause']>): WaitReason {
  return until === undefined ? { kind: 'paused' } : { kind: 'paused', until };
}

function starting(due: Due, memory: Memory, { now, gaps, schedule, lastRun }: Facts): Verdict {
  const moment = momentOf(due.at, now, { gaps, hold: memory.hold, before: lastRun });
  const trigger = triggerOf(due, moment, schedule);
  const isMoment = due.cause === 'moment' || due.cause === 'change';
  return {
    decision: { kind: 'running', since: now, trigger },
    memory,
    start: { trigger, dueAt: due.at, moment: isMoment ? moment : undefined },
  };
}

function triggerOf(due: Due, { lateBy }: LastMoment, schedule: Schedule): Trigger {
  switch (due.cause) {
    case 'resume':
      return 'resume';
    case 'change':
      return 'change';
    case 'retry':
      return schedule.kind === 'on-change' ? 'change' : 'schedule';
    case 'moment':
      return lateBy === 'asleep' || lateBy === 'off' ? 'missed' : 'schedule';
  }
}
