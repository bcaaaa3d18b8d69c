import type { HoldfastError } from '../../../src/base/errors.ts';
import type { Failure } from '../../../src/base/failure.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeAt, prepareHome, type Home } from '../../../src/agent/home/home.ts';
import { saveStoredSettings } from '../../../src/agent/home/settings.ts';
import type { ConfiguredSet } from '../../../src/ipc/contract/configured-set.ts';
import type { LastRuns, SchedulerOptions, Watcher } from '../../../src/agent/schedule/ports.ts';
import { watchFiles } from '../../../src/agent/schedule/set-watchers.ts';
import { Scheduler } from '../../../src/agent/schedule/scheduler.ts';
import { UNKNOWN_NETWORK, type Network } from '../../../src/engine/power/network.ts';
import { UNKNOWN_POWER, type Power } from '../../../src/engine/power/ports.ts';
import type { EndedRun, Outcome } from '../../../src/engine/schedule/decision.ts';
import { ChangeCollection } from '../../../src/engine/scan/watch/changes.ts';
import { storedSettings } from '../../helpers/stored-settings.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** The course of a simulated run. */
export interface RunPlan {
  readonly takes?: number;
  readonly outcome?: Outcome;
  readonly failure?: Failure;
  /** Fails before the journal has a row. */
  readonly refusedWith?: HoldfastError;
}

export interface StartedRun {
  readonly kind: 'backup' | 'verify';
  readonly set: string;
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
  readonly journal = new Map<string, LastRuns>();
  readonly watchers = new Map<string, FakeWatcher>();
  now: number;
  sets: readonly ConfiguredSet[] = [];
  setsError: Error | undefined;
  plans: RunPlan[] = [];
  power: Power = UNKNOWN_POWER;
  network: Network = UNKNOWN_NETWORK;
  networkMark = '192.0.2.1';
  readingsAsked = 0;
  isPresent = true;
  changes = 0;
  scheduler: Scheduler;
  /** The end of a run of another process. */
  foreign: string | undefined;
  #running: string | undefined;
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
    this.journal.set(set, {
      ...this.journal.get(set),
      backup: { startedAt: this.now, endedAt: this.now, outcome: 'succeeded', ...run },
    });
  }

  /** `backup documents 11-02 18:30 schedule` */
  get runs(): readonly string[] {
    return this.started.map(({ kind, set, at, trigger }) =>
      [kind, set, new Date(at).toISOString().slice(5, 16).replace('T', ' '), ...(trigger ? [trigger] : [])].join(' '),
    );
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

  decision(set: string): unknown {
    return this.scheduler.decisions().get(set);
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
      lastRuns: (set) => this.journal.get(set) ?? {},
      isRunning: () => this.#running ?? this.foreign,
      destinationPresent: () => Promise.resolve(this.isPresent),
      startBackup: (set, trigger, first) => this.#run({ kind: 'backup', set, trigger, first }),
      startVerify: (set, samplePercent) => this.#run({ kind: 'verify', set, samplePercent }),
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

  async #run(run: {
    kind: 'backup' | 'verify';
    set: string;
    trigger?: string;
    first?: readonly string[] | undefined;
    samplePercent?: number;
  }): Promise<Outcome> {
    const { kind, set } = run;
    const startedAt = this.now;
    const { takes = 0, outcome = 'succeeded', failure, refusedWith } = this.plans.shift() ?? {};
    if (refusedWith) throw refusedWith;
    const { trigger, first, samplePercent } = run;
    this.started.push({ kind, set, at: startedAt, trigger, first, samplePercent });
    this.#running = set;
    if (takes > 0) await new Promise<void>((resolve) => this.#timers.push({ at: this.#elapsed + takes, run: resolve }));
    this.#running = undefined;
    this.journal.set(set, {
      ...this.journal.get(set),
      [kind]: { startedAt, endedAt: this.now, outcome, failure },
    });
    return outcome;
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
