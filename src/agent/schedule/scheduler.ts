import { decideAgainAt, type Start } from '../../engine/schedule/decide.ts';
import { verificationRules } from '../../engine/schedule/decide-verification.ts';
import type { EndedRun } from '../../engine/schedule/decision.ts';
import { afterChange, afterRun, afterStart } from '../../engine/schedule/remember.ts';
import type { Decision, LastMoment, Outcome } from '../../ipc/state.ts';
import { type Failure, failureOf } from '../../base/failure.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import { LONGEST_WAIT } from './elapsed-time.ts';
import { Environment } from './environment.ts';
import type { SchedulerOptions } from './ports.ts';
import { ScheduleRecord } from './schedule-record.ts';
import {
  decideSet,
  scheduleOf,
  type SetMemory,
  type SetVerdicts,
  type Surroundings,
  type Work,
} from './set-decisions.ts';
import { SetWatches } from './set-watches.ts';

/** Something outside that may let a run begin. */
export type Wake = 'resumed' | 'power' | 'network';

/** Scheduled runs begin again at `until`, in milliseconds since the epoch; without it, when somebody says so. */
export interface Pause {
  readonly until?: number;
}

type Kind = 'backup' | 'verify';

/** A run that is due, of one of several sets. */
interface Candidate {
  readonly set: ConfiguredSet;
  readonly kind: Kind;
  readonly start: Start;
}

/** What says that nothing was tried. */
const NOT_TRIED: ReadonlySet<string> = new Set(['home_busy', 'interrupted']);

/** Timers may come a little before their time. Milliseconds. */
const SHORTEST_WAIT = 10;

/**
 * Starts the runs that the schedules of a home ask for, one at a time. What is due is decided in engine/schedule; this
 * gathers what decisions depend on, remembers, and looks again whenever something may have become another.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #record: ScheduleRecord;
  readonly #environment: Environment;
  readonly #watches: SetWatches;
  #memories: Map<string, SetMemory>;
  #decisions: ReadonlyMap<string, Decision> = new Map();
  #verifications: ReadonlyMap<string, Decision> = new Map();
  #lastMoments: ReadonlyMap<string, LastMoment> = new Map();
  #pause: { readonly since: number; readonly until?: number | undefined } | undefined;
  /** The run that this has started. */
  #own: Work | undefined;
  #told = '';
  #stopTimer: (() => void) | undefined;
  #nextAt = Number.POSITIVE_INFINITY;
  /** Ends with the look that goes on. */
  #looking: Promise<void> = Promise.resolve();
  #isLooking = false;
  #isAsked = false;
  #state: 'new' | 'started' | 'closed' = 'new';

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#record = new ScheduleRecord(options.home);
    const { memories, pause, seenAt } = this.#record;
    this.#memories = new Map(memories);
    this.#pause = pause;
    this.#environment = new Environment(options, seenAt);
    this.#watches = new SetWatches(options, (set) => this.#heard(set));
  }

  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#look();
  }

  /** By the name of the set. */
  decisions(): ReadonlyMap<string, Decision> {
    return this.#decisions;
  }

  /** Of verifications, by the name of the set; of sets that are not verified by themselves, nothing. */
  verifications(): ReadonlyMap<string, Decision> {
    return this.#verifications;
  }

  /** By the name of the set; of sets that had none yet, nothing. */
  lastMoments(): ReadonlyMap<string, LastMoment> {
    return this.#lastMoments;
  }

  /** Nothing where scheduled runs are not paused. */
  get paused(): Pause | undefined {
    const until = this.#pause?.until;
    return this.#pause && (until === undefined ? {} : { until });
  }

  /** @param until milliseconds since the epoch */
  pause(until?: number): void {
    this.#pause = { since: this.#options.clock.now(), until };
    this.#look();
  }

  resume(): void {
    this.#pause = undefined;
    this.#look();
  }

  /** To be called when the computer wakes, or its power or network is another; nothing hangs on it. */
  wake(what: Wake): void {
    if (what === 'network') this.#environment.networkChanged();
    this.#look();
  }

  /** To be called when sets were added, edited or removed. */
  setsChanged(): void {
    this.#look();
  }

  /** To be called when a run ended that this has not started. How it ended is in the journal. */
  ran(_set: string, _outcome: Outcome): void {
    this.#look();
  }

  /** Starts nothing more. A run that goes on is whoever's who runs it. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#stopTimer?.();
    await this.#looking;
    await this.#watches[Symbol.asyncDispose]();
    this.#record.close(this.#options.clock.now());
  }

  #heard(set: string): void {
    const memory = this.#memories.get(set);
    if (!memory?.backup) return;
    this.#remember(set, 'backup', afterChange(memory.backup, this.#options.clock.now()));
    // Later changes only put it off, or are looked at when the time has come.
    if (this.#decisions.get(set)?.kind === 'watching') this.#look();
  }

  #look(): void {
    this.#isAsked = true;
    if (this.#state === 'started' && !this.#isLooking) this.#looking = this.#lookWhileAsked();
  }

  async #lookWhileAsked(): Promise<void> {
    this.#isLooking = true;
    this.#stopTimer?.();
    let wait = LONGEST_WAIT;
    try {
      while (this.#isAsked && this.#state === 'started') {
        this.#isAsked = false;
        await this.#lookOnce();
      }
      wait = this.#patience();
    } catch (error) {
      // Settings or a journal that cannot be read just now are told by whoever shows the state; nothing runs.
      if (!failureOf(error)) throw error;
      this.#decisions = new Map();
      this.#verifications = new Map();
      this.#tell();
    } finally {
      this.#isLooking = false;
      if (this.#state === 'started') this.#stopTimer = this.#options.timers.after(wait, () => this.#look());
    }
  }

  async #lookOnce(): Promise<void> {
    const sets = this.#options.sets();
    let surroundings = this.#surroundings();
    this.#forget(sets);
    this.#watches.follow(sets.filter((set) => scheduleOf(set).kind === 'on-change'));
    let verdicts = this.#decideAll(sets, surroundings);
    if (firstOf(verdicts)) {
      const known = await this.#environment.conditions(sets);
      if (this.#state !== 'started') return;
      surroundings = { ...this.#surroundings(), ...known };
      verdicts = this.#decideAll(sets, surroundings);
      const first = firstOf(verdicts);
      // What else is due waits for this one.
      if (first) verdicts = this.#decideAll(sets, { ...surroundings, work: this.#begin(first, surroundings.now) });
    }
    const decisions = verdicts.flatMap(({ backup, verify }) => [backup.decision, ...(verify ? [verify.decision] : [])]);
    this.#nextAt = Math.min(...decisions.map((decision) => decideAgainAt(decision) ?? Number.POSITIVE_INFINITY));
    this.#decisions = new Map(verdicts.map(({ set, backup }) => [set.name, backup.decision]));
    this.#verifications = new Map(verdicts.flatMap(({ set, verify }) => (verify ? [[set.name, verify.decision]] : [])));
    this.#lastMoments = new Map(
      verdicts.flatMap(({ set }) => {
        const moment = this.#memories.get(set.name)?.backup?.lastMoment;
        return moment ? [[set.name, moment]] : [];
      }),
    );
    this.#record.save({ memories: this.#memories, pause: this.#pause, seenAt: surroundings.now });
    this.#tell();
  }

  #surroundings(): Surroundings {
    const now = this.#options.clock.now();
    this.#pause = pauseAt(this.#pause, now);
    return { ...this.#environment.look(now, this.#own), pause: this.#pause };
  }

  #decideAll(sets: readonly ConfiguredSet[], surroundings: Surroundings): readonly SetVerdicts[] {
    const { lastRuns } = this.#options;
    return sets.map((set) => {
      const { name } = set;
      const memory = this.#memories.get(name) ?? {};
      const verdicts = decideSet(set, memory, lastRuns(name), this.#watches.isPartial(name), surroundings);
      // While conditions are not known nothing that is due begins, and nothing of it is remembered.
      const isGuess =
        !surroundings.areConditionsKnown && (verdicts.backup.start ?? verdicts.verify?.start) !== undefined;
      if (!isGuess) this.#memories.set(name, { backup: verdicts.backup.memory, verify: verdicts.verify?.memory });
      return verdicts;
    });
  }

  #forget(sets: readonly ConfiguredSet[]): void {
    for (const name of this.#memories.keys()) {
      if (!sets.some((set) => set.name === name)) this.#memories.delete(name);
    }
  }

  #remember(set: string, kind: Kind, memory: SetMemory[Kind]): void {
    this.#memories.set(set, { ...this.#memories.get(set), [kind]: memory });
  }

  #begin({ set, kind, start }: Candidate, now: number): Work {
    const { trigger } = start;
    const work = { set: set.name, kind, startedAt: now, trigger };
    this.#own = work;
    const before = this.#memories.get(set.name)?.[kind];
    if (before) this.#remember(set.name, kind, afterStart(before, start.moment));
    void this.#run(set, work, before);
    return work;
  }

  async #run(set: ConfiguredSet, work: Work & { readonly kind: Kind }, before: SetMemory[Kind]): Promise<void> {
    const ended = await this.#outcome(set, work);
    this.#own = undefined;
    const memory = this.#memories.get(set.name)?.[work.kind];
    // Nothing where the set is gone.
    if (memory && ended) this.#take(set, work, memory, ended, before?.seenRun);
    else if (memory)
      this.#remember(set.name, work.kind, { ...memory, hold: before?.hold, lastMoment: before?.lastMoment });
    this.#look();
  }

  /** Nothing where another process works on the home. */
  async #outcome(set: ConfiguredSet, { kind, trigger, startedAt }: Work): Promise<EndedRun | undefined> {
    const { clock, startBackup, startVerify } = this.#options;
    const ended = (outcome: Outcome): EndedRun => ({ startedAt, endedAt: clock.now(), outcome, resumesItself: true });
    try {
      if (kind === 'verify') return ended(await startVerify(set.name, set.verification?.samplePercent ?? 1));
      const first = this.#watches.take(set.name);
      return ended(await (first.length > 0 ? startBackup(set.name, trigger, first) : startBackup(set.name, trigger)));
    } catch (error) {
      const failure: Failure = failureOf(error) ?? { code: 'internal', details: {} };
      if (!NOT_TRIED.has(failure.code)) return { ...ended('failed'), failure };
      this.#environment.homeBusy(failure.code === 'home_busy' ? failure.details.command : undefined);
      return undefined;
    }
  }

  /**
   * What the journal says of the run is taken when it is decided; where it says nothing, what is known here is.
   *
   * @param seenRun the newest run of the journal before this one
   */
  #take(
    set: ConfiguredSet,
    { kind }: { readonly kind: Kind },
    memory: NonNullable<SetMemory[Kind]>,
    run: EndedRun,
    seenRun: number | undefined,
  ): void {
    const noted = this.#options.lastRuns(set.name)[kind];
    if (noted && noted.startedAt !== seenRun) return;
    const now = run.endedAt;
    const recollection =
      kind === 'backup'
        ? { now, schedule: scheduleOf(set) }
        : { now, ...verificationRules(set.verification?.everyDays ?? 1) };
    const next = afterRun(memory, run, recollection);
    this.#remember(set.name, kind, { ...next, ownRun: { from: run.startedAt, to: run.endedAt } });
  }

  #patience(): number {
    const now = this.#options.clock.now();
    const times = [this.#nextAt, this.#pause?.until, this.#environment.busyUntil].filter((time) => time !== undefined);
    const next = Math.min(...times);
    return Math.max(SHORTEST_WAIT, Math.min(LONGEST_WAIT, next - now));
  }

  #tell(): void {
    const told = JSON.stringify([
      [...this.#decisions],
      [...this.#verifications],
      [...this.#lastMoments],
      this.paused ?? null,
    ]);
    if (told === this.#told) return;
    this.#told = told;
    this.#options.onChange();
  }
}

/** The pause that holds at a time. One does not become longer by a clock that is set back. */
function pauseAt<Paused extends { readonly since: number; readonly until?: number | undefined }>(
  pause: Paused | undefined,
  now: number,
): Paused | undefined {
  if (pause?.until === undefined) return pause;
  if (pause.until <= now) return undefined;
  return now < pause.since ? { ...pause, since: now, until: now + pause.until - pause.since } : pause;
}

/** What was due first; backups before verifications. */
function firstOf(verdicts: readonly SetVerdicts[]): Candidate | undefined {
  return earliest(verdicts, 'backup') ?? earliest(verdicts, 'verify');
}

function earliest(verdicts: readonly SetVerdicts[], kind: Kind): Candidate | undefined {
  return verdicts
    .flatMap(({ set, [kind]: verdict }) => (verdict?.start ? [{ set, kind, start: verdict.start }] : []))
    .sort((one, other) => one.start.dueAt - other.start.dueAt)
    .at(0);
}
