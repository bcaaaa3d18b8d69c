import type { Failure } from '../../../src/base/errors/failure.ts';
import { decide, decideAgainAt, type Facts, type Verdict } from '../../../src/schedule/decide.ts';
import type { EndedRun } from '../../../src/schedule/ended-run.ts';
import type { Decision, LateBy } from '../../../src/model/schedule/decision.ts';
import type { Outcome, Trigger } from '../../../src/model/run.ts';
import type { Gap } from '../../../src/schedule/lateness.ts';
import type { Memory } from '../../../src/schedule/memory.ts';
import { afterChange, afterStart } from '../../../src/schedule/remember.ts';
import type { Schedule } from '../../../src/model/schedule/schedule.ts';
import { UNKNOWN_NETWORK } from '../../../src/os/power/network.ts';
import { UNKNOWN_POWER } from '../../../src/os/power/ports.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const NO_READINGS: Facts['readings'] = { power: UNKNOWN_POWER, network: UNKNOWN_NETWORK };

/** The outcome and duration of a simulated run. */
export interface RunPlan {
  readonly takes?: number;
  readonly outcome?: Outcome;
  readonly failure?: Failure;
  /** True if a file changes in every minute of the run. */
  readonly changing?: boolean;
}

export interface SimulatedRun {
  readonly trigger: Trigger;
  /** By the computer's clock. */
  readonly at: number;
  /** Since the simulation began, whatever the clock says. */
  readonly elapsed: number;
  readonly lateBy: LateBy | undefined;
  readonly waitedFor: string | undefined;
}

/** A computer with one set, whose clock only tests advance. */
export class ScheduleSimulation {
  readonly runs: SimulatedRun[] = [];
  readonly ended: { readonly startedAt: number; readonly isGood: boolean }[] = [];
  now: number;
  schedule: Schedule;
  facts: Partial<Facts> = {};
  /** The next runs; by default a run takes a second and succeeds. */
  plans: RunPlan[] = [];
  memory: Memory | undefined;
  #elapsed = 0;
  #gaps: Gap[] = [];
  #lastRun: EndedRun | undefined;
  readonly #timeZone: string | undefined;

  constructor(schedule: Schedule, start: string | number, timeZone?: string) {
    this.schedule = schedule;
    this.now = typeof start === 'number' ? start : Date.parse(start);
    this.#timeZone = timeZone;
    this.look();
  }

  /** Returns the present decision. A run that it starts has ended by then. */
  look(): Verdict {
    const verdict = decide({
      schedule: this.schedule,
      now: this.now,
      timeZone: this.#timeZone,
      memory: this.memory,
      lastRun: this.#lastRun,
      gaps: this.#gaps,
      readings: NO_READINGS,
      ...this.facts,
    });
    this.memory = verdict.memory;
    const { start } = verdict;
    if (start) {
      this.memory = afterStart(verdict.memory, start.moment);
      this.run(start.trigger, start.moment);
    }
    return verdict;
  }

  /** Performs a run of the schedule or of a person. */
  run(trigger: Trigger = 'person', moment?: SimulatedMoment): void {
    const startedAt = this.now;
    const { lateBy, waitedFor } = moment ?? {};
    this.runs.push({ trigger, at: startedAt, elapsed: this.#elapsed, lateBy, waitedFor: waitedFor?.kind });
    const { takes = SECOND, outcome = 'succeeded', failure, changing } = this.plans.shift() ?? {};
    for (let left = takes; left > 0; left -= MINUTE) {
      this.#pass(Math.min(left, MINUTE));
      if (changing === true) this.change();
    }
    this.#lastRun = { startedAt, endedAt: this.now, outcome, failure, isByPerson: trigger === 'person' };
    this.ended.push({ startedAt, isGood: outcome === 'succeeded' || outcome === 'warnings' });
  }

  /** Advances the time as with ticks at most half a minute apart. Ticks without effect are skipped. */
  pass(milliseconds: number): this {
    const end = this.#elapsed + milliseconds;
    for (let steps = 0; ; steps += 1) {
      if (steps > 100_000) throw new Error('time does not pass');
      const { decision } = this.look();
      const left = end - this.#elapsed;
      if (left <= 0) return this;
      this.#pass(Math.min(left, stepOf(decision, this.now)));
    }
  }

  until(time: string): this {
    return this.pass(Date.parse(time) - this.now);
  }

  /** Advances the time without ticks, as during sleep. */
  gap(kind: Gap['kind'], milliseconds: number): this {
    const from = this.now;
    this.#pass(milliseconds);
    this.#gaps.push({ kind, from, to: this.now });
    return this;
  }

  gapUntil(kind: Gap['kind'], time: string): this {
    return this.gap(kind, Date.parse(time) - this.now);
  }

  /** Sets the clock forward or back. Forward looks like sleep. */
  setClock(by: number): this {
    const from = this.now;
    this.now += by;
    if (by > MINUTE) this.#gaps.push({ kind: 'asleep', from, to: this.now });
    return this;
  }

  change(): this {
    if (this.memory) this.memory = afterChange(this.memory, this.now);
    return this;
  }

  get elapsed(): number {
    return this.#elapsed;
  }

  #pass(milliseconds: number): void {
    this.now += milliseconds;
    this.#elapsed += milliseconds;
  }
}

type SimulatedMoment = NonNullable<Verdict['start']>['moment'];

/** Returns how long a decision remains unchanged if only time passes. */
function stepOf(decision: Decision, now: number): number {
  if (decision.kind === 'running') return 0;
  if (decision.kind === 'watching') return MINUTE;
  const at = decideAgainAt(decision);
  return at === undefined ? DAY : Math.max(1, at - now);
}
