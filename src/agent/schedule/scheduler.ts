import type { Decision, LastMoment, Outcome } from '../../engine/schedule/decision.ts';
import type { SchedulerOptions } from './ports.ts';

/** Something outside that may let a run begin. */
export type Wake = 'resumed' | 'power' | 'network';

/** Scheduled runs begin again at `until`; without it, when somebody says so. */
export interface Pause {
  readonly until?: number;
}

/** Starts the runs that the schedules of a home ask for, one at a time. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #decisions = new Map<string, Decision>();
  readonly #lastMoments = new Map<string, LastMoment>();
  #pause: Pause | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  /** By the name of the set. */
  decisions(): ReadonlyMap<string, Decision> {
    return this.#decisions;
  }

  /** By the name of the set; of sets that had none yet, nothing. */
  lastMoments(): ReadonlyMap<string, LastMoment> {
    return this.#lastMoments;
  }

  /** Nothing where scheduled runs are not paused. */
  get paused(): Pause | undefined {
    return this.#pause;
  }

  /** @param until milliseconds since the epoch */
  pause(until?: number): void {
    this.#pause = until === undefined ? {} : { until };
    this.#look();
  }

  resume(): void {
    this.#pause = undefined;
    this.#look();
  }

  /** To be called when the computer wakes, or its power or network is another; nothing hangs on it. */
  wake(_what: Wake): void {
    this.#look();
  }

  /** To be called when sets were added, edited or removed. */
  setsChanged(): void {
    this.#look();
  }

  /** To be called when a run ended that the scheduler did not start. */
  ran(_set: string, _outcome: Outcome): void {
    this.#look();
  }

  /** Starts nothing more. A run that goes on is whoever's who runs it. */
  async close(): Promise<void> {
    this.#decisions.clear();
    await Promise.resolve();
  }

  #look(): void {
    this.#decisions.clear();
    for (const { name } of this.#options.sets()) this.#decisions.set(name, { kind: 'manual' });
    this.#options.onChange();
  }
}
