import { failureOf } from '../../base/errors/failure.ts';
import { decideAgainAt } from '../../schedule/decide.ts';
import type { Decision, LastMoment } from '../../model/schedule/decision.ts';
import type { Memory } from '../../schedule/memory.ts';
import { afterChange, afterPreemption } from '../../schedule/remember.ts';
import { mostUrgent } from '../../schedule/urgency.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { MAX_WAIT_MS } from './clock-gaps.ts';
import { nextRun } from './due-run.ts';
import { Environment } from './environment.ts';
import type { Scheduled, ScheduledDestination, SchedulerOptions } from './ports.ts';
import { preemptedBackups, type PreemptedBackup } from './preempted-backups.ts';
import { ScheduleRecord } from './schedule-record.ts';
import { ScheduledRuns } from './scheduled-runs.ts';
import { decideSet, scheduleOf, type ScheduledVerdict, type SharedFacts } from './set-decisions.ts';
import { SetWatchers } from './set-watchers.ts';

/** An external event that may allow a run to begin. */
export type Wake = 'resumed' | 'power' | 'network' | 'destination';

/** Scheduled runs begin again at `until`, in milliseconds since the epoch. Without it, a person ends the pause. */
export interface Pause {
  readonly until?: number;
}

/** Timers may fire slightly early. Milliseconds. */
const MIN_WAIT_MS = 10;

/** The results of the last evaluation, by the name of the set. */
interface Evaluation {
  /** By the id of the destination. */
  readonly decisions: ReadonlyMap<string, ReadonlyMap<string, Decision>>;
  readonly verifications: ReadonlyMap<string, Decision>;
  readonly drills: ReadonlyMap<string, Decision>;
  readonly lastMoments: ReadonlyMap<string, LastMoment>;
}

interface Plan {
  readonly sets: readonly ConfiguredSet[];
  readonly destinations: readonly ScheduledDestination[];
}

const NO_DECISIONS = { decisions: new Map(), verifications: new Map(), drills: new Map() } as const;

/**
 * Starts the runs that the schedules of a home require, one at a time. `src/schedule` decides what is due. This class
 * gathers the facts, remembers the results, and evaluates again whenever a fact may have changed.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #record: ScheduleRecord;
  readonly #environment: Environment;
  readonly #watchers: SetWatchers;
  readonly #runs: ScheduledRuns;
  #evaluation: Evaluation = { ...NO_DECISIONS, lastMoments: new Map() };
  #published = '';
  #nextAt = Number.POSITIVE_INFINITY;
  #state: 'new' | 'started' | 'closed' = 'new';
  #stopTimer: (() => void) | undefined;
  /** Resolves at the end of the current evaluation. */
  #evaluating: Promise<void> = Promise.resolve();
  #isEvaluating = false;
  #isRequested = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#record = new ScheduleRecord(options.home);
    this.#environment = new Environment(options, this.#record.evaluatedAt);
    this.#watchers = new SetWatchers(options, (set) => this.#changed(set));
    this.#runs = new ScheduledRuns({
      options,
      record: this.#record,
      environment: this.#environment,
      watchers: this.#watchers,
      onEnd: () => this.#evaluate(),
    });
  }

  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#evaluate();
  }

  /** The decisions about backups, by the name of the set and the id of the destination. */
  decisions(): ReadonlyMap<string, ReadonlyMap<string, Decision>> {
    return this.#evaluation.decisions;
  }

  /** The decision that stands for all backups of a set. `undefined` for a set that is not known yet. */
  decisionOf(set: string): Decision | undefined {
    const decisions = this.#evaluation.decisions.get(set);
    return decisions && mostUrgent(decisions.values());
  }

  /** The decisions about verifications, by the name of the set. Only of sets with scheduled verifications. */
  verifications(): ReadonlyMap<string, Decision> {
    return this.#evaluation.verifications;
  }

  /** As `verifications`, about drills. */
  drills(): ReadonlyMap<string, Decision> {
    return this.#evaluation.drills;
  }

  /** By the name of the set, once a scheduled moment was due. */
  lastMoments(): ReadonlyMap<string, LastMoment> {
    return this.#evaluation.lastMoments;
  }

  get paused(): Pause | undefined {
    const { pause } = this.#record;
    return pause && (pause.until === undefined ? {} : { until: pause.until });
  }

  /** @param until milliseconds since the epoch */
  pause(until?: number): void {
    this.#record.pause = { since: this.#options.clock.now(), until };
    this.#evaluate();
  }

  resume(): void {
    this.#record.pause = undefined;
    this.#evaluate();
  }

  /** Evaluates after the computer woke, its power or network changed, or a destination returned. Optional: timers notice it later. */
  wake(what: Wake): void {
    if (what === 'network') this.#environment.networkChanged();
    this.#evaluate();
  }

  /** Evaluates after sets or destinations were added, edited or removed. */
  setsChanged(): void {
    this.#evaluate();
  }

  /** Evaluates after the end of a run that the scheduler did not start, or of a part of a run. The journal has its result. */
  runEnded(): void {
    this.#evaluate();
  }

  /** Starts no further runs. Does not stop an active run. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#stopTimer?.();
    await this.#evaluating;
    await this.#watchers[Symbol.asyncDispose]();
    this.#record.close(this.#options.clock.now());
  }

  #changed(set: string): void {
    const now = this.#options.clock.now();
    for (const backup of this.#record.backupsOf(set)) {
      const memory = this.#record.memoryOf(backup);
      if (memory) this.#record.remember(backup, afterChange(memory, now));
    }
    // Later changes only postpone the run, which the timer of the current decision covers.
    const decisions = [...(this.#evaluation.decisions.get(set)?.values() ?? [])];
    if (decisions.some(({ kind }) => kind === 'watching')) this.#evaluate();
  }

  #evaluate(): void {
    this.#isRequested = true;
    if (this.#state === 'started' && !this.#isEvaluating) this.#evaluating = this.#evaluateWhileRequested();
  }

  async #evaluateWhileRequested(): Promise<void> {
    this.#isEvaluating = true;
    this.#stopTimer?.();
    let wait = MAX_WAIT_MS;
    try {
      while (this.#isRequested && this.#state === 'started') {
        this.#isRequested = false;
        await this.#evaluateOnce();
      }
      wait = this.#nextWait();
    } catch (error) {
      // The published state reports settings or a journal that cannot be read. Until then nothing runs.
      if (!failureOf(error)) throw error;
      this.#publish({ ...this.#evaluation, ...NO_DECISIONS });
    } finally {
      this.#isEvaluating = false;
      if (this.#state === 'started') this.#stopTimer = this.#options.timers.after(wait, () => this.#evaluate());
    }
  }

  async #evaluateOnce(): Promise<void> {
    const plan: Plan = { sets: this.#options.sets(), destinations: this.#options.destinations() };
    let facts = this.#facts();
    this.#record.forgetAllBut(
      plan.sets.map(({ name }) => name),
      plan.destinations.map(({ id }) => id),
    );
    this.#watchers.follow(watchedSets(plan));
    let verdicts = this.#decideAll(plan, facts);
    if (nextRun(verdicts, facts) ?? this.#preemptable(verdicts, facts)) {
      const known = await this.#environment.readConditions(plan.sets);
      if (this.#state !== 'started') return;
      facts = { ...this.#facts(), ...known };
      verdicts = this.#decideAll(plan, facts);
      const due = nextRun(verdicts, facts);
      // Other due runs wait for this one.
      if (due) verdicts = this.#decideAll(plan, { ...facts, ongoing: this.#runs.begin(due, facts.now) });
      else this.#preempt(verdicts, facts);
    }
    const decisions = verdicts.map(({ verdict }) => verdict.decision);
    this.#nextAt = Math.min(...decisions.map((decision) => decideAgainAt(decision) ?? Number.POSITIVE_INFINITY));
    this.#record.save(facts.now);
    this.#publish(this.#evaluationOf(plan, verdicts));
  }

  #facts(): SharedFacts {
    const now = this.#options.clock.now();
    this.#record.pause = pauseAt(this.#record.pause, now);
    return { ...this.#environment.facts(now, this.#runs.ongoing), pause: this.#record.pause };
  }

  #decideAll({ sets, destinations }: Plan, facts: SharedFacts): readonly ScheduledVerdict[] {
    const verdicts = sets.flatMap((set) => {
      const memoryOf = (scheduled: Scheduled): Memory | undefined => this.#record.memoryOf(scheduled);
      const isPartial = this.#watchers.isPartial(set.name);
      return decideSet(set, destinations, { memoryOf, lastRun: this.#options.lastRun, isPartial }, facts);
    });
    for (const { set, destination, kind, verdict } of verdicts) {
      // A run that is due while conditions are unknown does not begin, and its verdict is not remembered.
      const isPreliminary = !facts.areConditionsKnown && verdict.start !== undefined;
      if (!isPreliminary) this.#record.remember({ set: set.name, destination, kind }, verdict.memory);
    }
    return verdicts;
  }

  /** Ends the active backup if it only holds up others. Its remaining destinations are due again at its end. */
  #preempt(verdicts: readonly ScheduledVerdict[], facts: SharedFacts): void {
    const laggards = this.#preemptable(verdicts, facts);
    if (!laggards) return;
    for (const { scheduled, memory, hasSent } of laggards) {
      this.#record.remember(scheduled, afterPreemption(memory, facts.now, hasSent));
    }
    this.#options.preempt();
  }

  #preemptable(verdicts: readonly ScheduledVerdict[], facts: SharedFacts): readonly PreemptedBackup[] | undefined {
    return preemptedBackups(verdicts, facts, (scheduled) => this.#record.memoryOf(scheduled));
  }

  #evaluationOf({ sets }: Plan, verdicts: readonly ScheduledVerdict[]): Evaluation {
    const backups = sets.map(({ name }) => {
      const ofSet = verdicts.filter(({ set }) => set.name === name);
      return [
        name,
        new Map(
          ofSet.flatMap(({ destination, verdict }) =>
            destination === undefined ? [] : [[destination, verdict.decision]],
          ),
        ),
      ] as const;
    });
    const checks = verdicts.filter(({ destination }) => destination === undefined);
    const decisionsOf = (wanted: ScheduledVerdict['kind']): ReadonlyMap<string, Decision> =>
      new Map(checks.filter(({ kind }) => kind === wanted).map(({ set, verdict }) => [set.name, verdict.decision]));
    return {
      decisions: new Map(backups),
      verifications: decisionsOf(undefined),
      drills: decisionsOf('drill'),
      lastMoments: new Map(
        sets.flatMap(({ name }) => {
          const moment = this.#lastMoment(name);
          return moment ? [[name, moment]] : [];
        }),
      ),
    };
  }

  #lastMoment(set: string): LastMoment | undefined {
    const moments = this.#record.backupsOf(set).flatMap((backup) => this.#record.memoryOf(backup)?.lastMoment ?? []);
    return moments.toSorted((one, other) => other.ranAt - one.ranAt).at(0);
  }

  #nextWait(): number {
    const now = this.#options.clock.now();
    const times = [this.#nextAt, this.#record.pause?.until, this.#environment.busyUntil];
    const next = Math.min(...times.filter((time) => time !== undefined));
    return Math.max(MIN_WAIT_MS, Math.min(MAX_WAIT_MS, next - now));
  }

  #publish(evaluation: Evaluation): void {
    this.#evaluation = evaluation;
    const { decisions, verifications, drills, lastMoments } = evaluation;
    const ofSets = [...decisions].map(([set, ofSet]) => [set, [...ofSet]]);
    const published = JSON.stringify([ofSets, [...verifications], [...drills], [...lastMoments], this.paused ?? null]);
    if (published === this.#published) return;
    this.#published = published;
    this.#options.onChange();
  }
}

/** Returns the pause that holds at a time. Setting the clock back does not prolong it. */
function pauseAt<Paused extends { readonly since: number; readonly until?: number | undefined }>(
  pause: Paused | undefined,
  now: number,
): Paused | undefined {
  if (pause?.until === undefined) return pause;
  if (pause.until <= now) return undefined;
  return now < pause.since ? { ...pause, since: now, until: now + pause.until - pause.since } : pause;
}

/** Returns the sets that are backed up on change to any destination. */
function watchedSets({ sets, destinations }: Plan): readonly ConfiguredSet[] {
  return sets.filter((set) => destinations.some((destination) => scheduleOf(set, destination).kind === 'on-change'));
}
