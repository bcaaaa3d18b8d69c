import { failureOf } from '../../base/failure.ts';
import { decideAgainAt } from '../../engine/schedule/decide.ts';
import type { Decision, LastMoment } from '../../engine/schedule/decision.ts';
import { afterChange } from '../../engine/schedule/remember.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import { MAX_WAIT_MS } from './clock-gaps.ts';
import { Environment } from './environment.ts';
import type { SchedulerOptions } from './ports.ts';
import { ScheduleRecord } from './schedule-record.ts';
import { ScheduledRuns, type DueRun, type ScheduledKind } from './scheduled-runs.ts';
import { decideSet, scheduleOf, type SetVerdicts, type SharedFacts } from './set-decisions.ts';
import { SetWatchers } from './set-watchers.ts';

/** An external event that may allow a run to begin. */
export type Wake = 'resumed' | 'power' | 'network';

/** Scheduled runs begin again at `until`, in milliseconds since the epoch. Without it, a person ends the pause. */
export interface Pause {
  readonly until?: number;
}

/** Timers may fire slightly early. Milliseconds. */
const MIN_WAIT_MS = 10;

/** The results of the last evaluation, by the name of the set. */
interface Evaluation {
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly verifications: ReadonlyMap<string, Decision>;
  readonly lastMoments: ReadonlyMap<string, LastMoment>;
}

const NO_DECISIONS = { decisions: new Map(), verifications: new Map() } as const;

/**
 * Starts the runs that the schedules of a home require, one at a time. engine/schedule decides what is due. This class
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

  /** The decisions about backups, by the name of the set. */
  decisions(): ReadonlyMap<string, Decision> {
    return this.#evaluation.decisions;
  }

  /** The decisions about verifications, by the name of the set. Only of sets with scheduled verifications. */
  verifications(): ReadonlyMap<string, Decision> {
    return this.#evaluation.verifications;
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

  /** Evaluates after the computer woke, or its power or network changed. Optional: timers notice it later. */
  wake(what: Wake): void {
    if (what === 'network') this.#environment.networkChanged();
    this.#evaluate();
  }

  /** Evaluates after sets were added, edited or removed. */
  setsChanged(): void {
    this.#evaluate();
  }

  /** Evaluates after the end of a run that the scheduler did not start. The journal has its result. */
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
    const { backup } = this.#record.memoryOf(set);
    if (!backup) return;
    this.#record.remember(set, { backup: afterChange(backup, this.#options.clock.now()) });
    // Later changes only postpone the run, which the timer of the current decision covers.
    if (this.#evaluation.decisions.get(set)?.kind === 'watching') this.#evaluate();
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
    const sets = this.#options.sets();
    let facts = this.#facts();
    this.#record.forgetAllBut(sets.map(({ name }) => name));
    this.#watchers.follow(sets.filter((set) => scheduleOf(set).kind === 'on-change'));
    let verdicts = this.#decideAll(sets, facts);
    if (firstDue(verdicts)) {
      const known = await this.#environment.readConditions(sets);
      if (this.#state !== 'started') return;
      facts = { ...this.#facts(), ...known };
      verdicts = this.#decideAll(sets, facts);
      const due = firstDue(verdicts);
      // Other due runs wait for this one.
      if (due) verdicts = this.#decideAll(sets, { ...facts, ongoing: this.#runs.begin(due, facts.now) });
    }
    const evaluation = this.#evaluationOf(verdicts);
    const decisions = [...evaluation.decisions.values(), ...evaluation.verifications.values()];
    this.#nextAt = Math.min(...decisions.map((decision) => decideAgainAt(decision) ?? Number.POSITIVE_INFINITY));
    this.#record.save(facts.now);
    this.#publish(evaluation);
  }

  #facts(): SharedFacts {
    const now = this.#options.clock.now();
    this.#record.pause = pauseAt(this.#record.pause, now);
    return { ...this.#environment.facts(now, this.#runs.ongoing), pause: this.#record.pause };
  }

  #decideAll(sets: readonly ConfiguredSet[], facts: SharedFacts): readonly SetVerdicts[] {
    return sets.map((set) => {
      const { name } = set;
      const memory = this.#record.memoryOf(name);
      const setFacts = { memory, lastRuns: this.#options.lastRuns(name), isPartial: this.#watchers.isPartial(name) };
      const verdicts = decideSet(set, setFacts, facts);
      const { backup, verify } = verdicts;
      // A run that is due while conditions are unknown does not begin, and its verdict is not remembered.
      const isPreliminary = !facts.areConditionsKnown && (backup.start ?? verify?.start) !== undefined;
      if (!isPreliminary) this.#record.remember(name, { backup: backup.memory, verify: verify?.memory });
      return verdicts;
    });
  }

  #evaluationOf(verdicts: readonly SetVerdicts[]): Evaluation {
    return {
      decisions: new Map(verdicts.map(({ set, backup }) => [set.name, backup.decision])),
      verifications: new Map(verdicts.flatMap(({ set, verify }) => (verify ? [[set.name, verify.decision]] : []))),
      lastMoments: new Map(
        verdicts.flatMap(({ set: { name } }) => {
          const moment = this.#record.memoryOf(name).backup?.lastMoment;
          return moment ? [[name, moment]] : [];
        }),
      ),
    };
  }

  #nextWait(): number {
    const now = this.#options.clock.now();
    const times = [this.#nextAt, this.#record.pause?.until, this.#environment.busyUntil];
    const next = Math.min(...times.filter((time) => time !== undefined));
    return Math.max(MIN_WAIT_MS, Math.min(MAX_WAIT_MS, next - now));
  }

  #publish(evaluation: Evaluation): void {
    this.#evaluation = evaluation;
    const { decisions, verifications, lastMoments } = evaluation;
    const published = JSON.stringify([[...decisions], [...verifications], [...lastMoments], this.paused ?? null]);
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

/** Returns the run that was due first. Backups precede verifications. */
function firstDue(verdicts: readonly SetVerdicts[]): DueRun | undefined {
  return earliest(verdicts, 'backup') ?? earliest(verdicts, 'verify');
}

function earliest(verdicts: readonly SetVerdicts[], kind: ScheduledKind): DueRun | undefined {
  return verdicts
    .flatMap(({ set, [kind]: verdict }) => (verdict?.start ? [{ set, kind, start: verdict.start }] : []))
    .sort((one, other) => one.start.dueAt - other.start.dueAt)
    .at(0);
}
