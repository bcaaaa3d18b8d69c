import type { HoldfastError } from '../../../../src/base/errors/errors.ts';
import type { Failure } from '../../../../src/base/errors/failure.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import { saveStoredSettings } from '../../../../src/agent/home/settings.ts';
import type { ConfiguredSet } from '../../../../src/model/set.ts';
import type {
  OngoingRun,
  Scheduled,
  ScheduledDestination,
  SchedulerOptions,
  Watcher,
} from '../../../../src/agent/schedule/ports.ts';
import { watchFiles } from '../../../../src/agent/schedule/set-watchers.ts';
import { Scheduler } from '../../../../src/agent/schedule/scheduler.ts';
import type { RemainingTarget } from '../../../../src/schedule/preemption.ts';
import { UNKNOWN_NETWORK, type Network } from '../../../../src/os/power/network.ts';
import { UNKNOWN_POWER, type Power } from '../../../../src/os/power/ports.ts';
import type { EndedRun } from '../../../../src/schedule/ended-run.ts';
import type { Outcome } from '../../../../src/model/run.ts';
import { ChangeCollection } from '../../../../src/archive/scan/watch/changes.ts';
import { storedSettings } from '../../../helpers/stored-settings.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The id of the destination of a simulation, unless it has others. */
export const DISK = '00000001';

export function keyOf({ set, destination, kind }: Scheduled): string {
  return `${destination ?? kind ?? ''} ${set}`;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** The course of a backup at one destination. */
export interface PartPlan {
  readonly takes?: number;
  readonly outcome?: Outcome;
  readonly failure?: Failure;
}

/** The course of a simulated run. */
export interface RunPlan extends PartPlan {
  /** How long the set is read. */
  readonly reads?: number;
  /** By the id of the destination; otherwise as the run. */
  readonly at?: Readonly<Record<string, PartPlan>>;
  /** Fails before the journal has a row. */
  readonly refusedWith?: HoldfastError;
}

export interface StartedRun {
  readonly kind: 'backup' | 'verify' | 'drill';
  readonly set: string;
  /** The ids of the destinations of a backup. */
  readonly destinations: readonly string[];
  readonly at: number;
  readonly trigger: string | undefined;
  readonly first: readonly string[] | undefined;
  readonly samplePercent: number | undefined;
}

export class FakeWatcher implements Watcher {
  readonly #changes = new ChangeCollection();
  readonly #changed: () => void;
  readonly #clock: { now(): number };
  readonly ready = Promise.resolve();
  limitation: Watcher['limitation'];
  isClosed = false;

  constructor(clock: { now(): number }, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  change(folder: string): void {
    this.#changes.add(folder, this.#clock.now());
    this.#changed();
  }

  pending(): ReturnType<ChangeCollection['pending']> {
    return this.#changes.pending();
  }

  take(): ReturnType<ChangeCollection['take']> {
    return this.#changes.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    await Promise.resolve();
  }
}

/** A home and a computer whose clock only tests advance. */
export class SchedulerSimulation implements AsyncDisposable {
  readonly home: Home = homeAt(join(mkdtempSync(join(tmpdir(), 'holdfast-scheduler-')), 'home'));
  readonly #isWatchReal: boolean;
  readonly #realWatchers: Watcher[] = [];
  #heard = Promise.withResolvers<void>();
  readonly started: StartedRun[] = [];
  /** By destination and set; without a destination for verifications. */
  readonly journal = new Map<string, EndedRun>();
  readonly watchers = new Map<string, FakeWatcher>();
  now: number;
  sets: readonly ConfiguredSet[] = [];
  destinations: readonly ScheduledDestination[] = [{ id: DISK, location: '/media/disk' }];
  /** The ids of absent destinations. */
  absent = new Set<string>();
  setsError: Error | undefined;
  plans: RunPlan[] = [];
  power: Power = UNKNOWN_POWER;
  network: Network = UNKNOWN_NETWORK;
  networkMark = '192.0.2.1';
  readingsAsked = 0;
  changes = 0;
  preemptions = 0;
  /** How long a run takes to end after a preemption. */
  endsAfter = 0;
  /** The ids of destinations whose backups leave no record. */
  readonly unrecorded = new Set<string>();
  /** The course of each run, in place of `plans`. */
  plan: ((run: Pick<StartedRun, 'kind' | 'set' | 'destinations'>) => RunPlan) | undefined;
  /** Facts of the destinations of the active run. */
  target: Partial<Pick<RemainingTarget, 'hasSent' | 'isWaiting'>> = {};
  scheduler: Scheduler;
  /** The end of a run of another process. */
  foreign: string | undefined;
  #running: { readonly set: string; readonly remaining: Map<string, RemainingTarget> } | undefined;
  #preempt = new AbortController();
  #person: OngoingRun | undefined;
  #elapsed = 0;
  #timers: Timer[] = [];

  constructor(start: string, { isWatchReal = false } = {}) {
    this.#isWatchReal = isWatchReal;
    this.now = Date.parse(start);
    prepareHome(this.home);
    saveStoredSettings(this.home, storedSettings());
    this.scheduler = this.#make();
  }

  set(name: string, schedule: string, more: Partial<ConfiguredSet> = {}): void {
    const set: ConfiguredSet = {
      name,
      roots: [`/home/anna/${name}`],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
      schedule,
      ...more,
    };
    this.sets = [...this.sets.filter((other) => other.name !== name), set];
    this.scheduler.setsChanged();
  }

  async start(): Promise<void> {
    this.scheduler.start();
    await turn();
  }

  /** Replaces the process after `off` milliseconds. A crash does not close the old one. */
  async restart(off: number, crash = false): Promise<void> {
    if (!crash) await this.scheduler.close();
    this.#timers = [];
    this.now += off;
    this.watchers.clear();
    this.scheduler = this.#make();
    await this.start();
  }

  /** Advances the time while the computer is awake. */
  async pass(milliseconds: number): Promise<void> {
    await turn();
    const end = this.#elapsed + milliseconds;
    for (;;) {
      const next = this.#timers.sort((one, other) => one.at - other.at)[0];
      if (!next || next.at > end) break;
      this.#timers.shift();
      this.#pass(next.at - this.#elapsed);
      next.run();
      await turn();
    }
    this.#pass(end - this.#elapsed);
  }

  async until(time: string): Promise<void> {
    await this.pass(Date.parse(time) - this.now);
  }

  /** Advances only the clock: timers do not count the time that the computer sleeps. */
  sleep(milliseconds: number): void {
    this.now += milliseconds;
  }

  /** Starts a run of a person or of another program. */
  ended(set: string, run: Partial<EndedRun> = {}): void {
    for (const { id } of this.destinations) {
      this.journal.set(keyOf({ set, destination: id }), {
        startedAt: this.now,
        endedAt: this.now,
        outcome: 'succeeded',
        ...run,
      });
    }
  }

  /** `backup documents 11-02 18:30 schedule` */
  get runs(): readonly string[] {
    return this.started.map(({ kind, set, at, trigger }) =>
      [kind, set, new Date(at).toISOString().slice(5, 16).replace('T', ' '), ...(trigger ? [trigger] : [])].join(' '),
    );
  }

  /** Starts a backup that a person asks for, and that only a preemption ends. */
  byPerson(set: string, destinations: readonly string[]): void {
    this.plans = [{ takes: 1000 * DAY }];
    const run = this.#run({ kind: 'backup', set, destinations, trigger: 'person' });
    this.started.pop();
    this.#person = { kind: 'backup', set, startedAt: this.now, trigger: 'person', destinations };
    void run.finally(() => {
      this.#person = undefined;
      this.scheduler.runEnded();
    });
  }

  /** Ends the process without ending its run. */
  kill(): void {
    this.#timers = [];
    this.#running = undefined;
  }

  /** Resolves when the file system is watched, and every watcher has said so. */
  async watching(): Promise<void> {
    await Promise.all(this.#realWatchers.map(({ ready }) => ready));
    await turn();
  }

  /** Resolves when a real watcher reports a change after this call. */
  heard(): Promise<void> {
    this.#heard = Promise.withResolvers();
    return this.#heard.promise;
  }

  /** @param destination its id; without it, the decision that stands for the set */
  decision(set: string, destination?: string): unknown {
    const { scheduler } = this;
    return destination === undefined ? scheduler.decisionOf(set) : scheduler.decisions().get(set)?.get(destination);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scheduler.close();
    rmSync(join(this.home.folder, '..'), { recursive: true, force: true });
  }

  #make(): Scheduler {
    const options: SchedulerOptions = {
      home: this.home,
      clock: { now: () => this.now },
      timers: {
        after: (milliseconds, run) => {
          const timer = { at: this.#elapsed + milliseconds, run };
          this.#timers.push(timer);
          return () => (this.#timers = this.#timers.filter((other) => other !== timer));
        },
      },
      readings: {
        power: { read: () => this.#read(this.power) },
        network: { read: () => this.#read(this.network) },
      },
      sets: () => {
        if (this.setsError) throw this.setsError;
        return this.sets;
      },
      destinations: () => this.destinations,
      lastRun: (scheduled) => this.journal.get(keyOf(scheduled)),
      isRunning: () => this.#running?.set ?? this.foreign,
      activeRun: () => this.#active,
      absent: () => Promise.resolve(this.absent),
      startBackup: (set, destinations, trigger, first) =>
        this.#run({ kind: 'backup', set, destinations, trigger, first }),
      startVerify: (set, samplePercent) => this.#run({ kind: 'verify', set, destinations: [], samplePercent }),
      startDrill: (set) => this.#run({ kind: 'drill', set, destinations: [] }),
      preempt: () => {
        this.preemptions += 1;
        this.#preempt.abort();
      },
      onChange: () => (this.changes += 1),
      networkMark: () => this.networkMark,
    };
    if (this.#isWatchReal) return new Scheduler({ ...options, watch: this.#watchReally(options) });
    const watch: SchedulerOptions['watch'] = (set, changed) => {
      const watcher = new FakeWatcher({ now: () => this.now }, changed);
      this.watchers.set(set.name, watcher);
      return watcher;
    };
    return new Scheduler({ ...options, watch });
  }

  #watchReally(options: SchedulerOptions): NonNullable<SchedulerOptions['watch']> {
    const watch = watchFiles(options);
    return (set, changed) => {
      const watcher = watch(set, () => {
        changed();
        this.#heard.resolve();
      });
      this.#realWatchers.push(watcher);
      return watcher;
    };
  }

  #read<Reading>(reading: Reading): Promise<Reading> {
    this.readingsAsked += 1;
    return Promise.resolve(reading);
  }

  async #run(
    run: Omit<StartedRun, 'at' | 'trigger' | 'first' | 'samplePercent'> & Partial<StartedRun>,
  ): Promise<Outcome> {
    const { kind, set, destinations, trigger, first, samplePercent } = run;
    const startedAt = this.now;
    const plan = this.plan?.(run) ?? this.plans.shift() ?? {};
    if (plan.refusedWith) throw plan.refusedWith;
    this.started.push({ kind, set, destinations, at: startedAt, trigger, first, samplePercent });
    const readAt = startedAt + (plan.reads ?? 0);
    const remaining = destinations.map(
      (id) => [id, { destination: id, readAt, hasSent: true, isWaiting: false }] as const,
    );
    this.#running = { set, remaining: new Map(remaining) };
    const preempted = (this.#preempt = new AbortController()).signal;
    const parts = kind === 'backup' ? destinations : [undefined];
    const outcomes = await Promise.all(
      parts.map(async (destination) => {
        const { takes = 0, outcome = 'succeeded', failure } = { ...plan, ...plan.at?.[destination ?? ''] };
        const ended = await this.#takes(takes, preempted);
        const endedAt = this.now;
        const end: EndedRun = ended
          ? { startedAt, endedAt, outcome, failure }
          : { startedAt, endedAt, outcome: 'interrupted' };
        if (!this.unrecorded.has(destination ?? ''))
          this.journal.set(keyOf({ set, destination, kind: kind === 'drill' ? kind : undefined }), end);
        this.#running?.remaining.delete(destination ?? '');
        if (this.#running?.remaining.size !== 0) this.scheduler.runEnded();
        return end.outcome;
      }),
    );
    this.#running = undefined;
    return outcomes[0]!;
  }

  get #active(): OngoingRun | undefined {
    const last = this.started.at(-1);
    const run =
      this.#person ?? (last && { ...last, startedAt: last.at, trigger: last.trigger as OngoingRun['trigger'] });
    if (!this.#running || !run) return undefined;
    const { kind, set, destinations, startedAt, trigger } = run;
    const remaining = [...this.#running.remaining.values()].map(({ destination, readAt, hasSent, isWaiting }) => ({
      destination,
      readAt: readAt! <= this.now ? readAt : undefined,
      hasSent: this.target.hasSent ?? hasSent,
      isWaiting: this.target.isWaiting ?? isWaiting,
    }));
    return {
      kind,
      set,
      destinations,
      startedAt,
      trigger,
      remaining,
    };
  }

  /** Resolves after a time, with false if the run was preempted before. */
  async #takes(milliseconds: number, preempted: AbortSignal): Promise<boolean> {
    if (milliseconds <= 0) return true;
    return await new Promise<boolean>((resolve) => {
      this.#timers.push({ at: this.#elapsed + milliseconds, run: () => resolve(!preempted.aborted) });
      preempted.addEventListener('abort', () => {
        if (this.endsAfter === 0) resolve(false);
        else this.#timers.push({ at: this.#elapsed + this.endsAfter, run: () => resolve(false) });
      });
    });
  }

  #pass(milliseconds: number): void {
    this.#elapsed += milliseconds;
    this.now += milliseconds;
  }
}

/** Resolves after all pending promises that wait for nothing external. */
async function turn(): Promise<void> {
  await new Promise(setImmediate);
}
