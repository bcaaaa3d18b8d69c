import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { STOPPED_BY_PERSON } from '../../../jobs/interruption.ts';
import type { JobProgress } from '../../../jobs/job-record.ts';
import type { Progress, RunOptions } from '../../../jobs/progress.ts';
import type { ActiveRun } from '../../../model/run.ts';
import { wasTried } from '../../history/refused-runs.ts';
import type { Home } from '../../home/home.ts';
import { reportError } from '../report-error.ts';
import type { StateChanges } from '../state-changes.ts';
import type { BackupRun } from '../../operations/backup/backup-run.ts';
import type { OngoingRun } from '../../schedule/ports.ts';
import { RunProgress } from './run-progress.ts';
import type { BegunRun, EndedRun, RunRequest } from './run-request.ts';
import { RunTargets } from './run-targets.ts';

/** The journal of the home, as far as the queue needs it. */
export interface RunJournal {
  /** Returns how the job ended. @param error what the run threw */
  ended(id: number, request: RunRequest, error: unknown): EndedRun;
  /** Records a run that failed before it began. */
  refused(request: RunRequest, startedAt: number, error: unknown): EndedRun;
  /** Returns the progress of interrupted backups of a set that the next one to these destinations continues. */
  unfinishedProgress(set: string, destinations: readonly string[] | undefined): JobProgress | undefined;
}

/** Called for each destination of a backup to several. */
export type TargetListeners = Pick<BackupRun, 'onProgressAt' | 'onEndAt'>;

export interface RunListener {
  /** Called before each run begins, which waits for it. Must not reject. */
  readonly prepare?: () => Promise<void>;
  readonly ended?: (run: EndedRun) => void;
  /** Called when a backup has ended at a destination, while it goes on at others. */
  readonly endedAt?: () => void;
}

export interface RunQueueParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly journal: RunJournal;
  readonly changes: Pick<StateChanges, 'notify'>;
}

/** The runs of this process: one at a time, since each needs the home for itself. */
export class RunQueue {
  readonly #parts: RunQueueParts;
  readonly #listeners: RunListener[] = [];
  #current: Current | undefined;
  #isClosed = false;
  #next: (() => void) | undefined;

  constructor(parts: RunQueueParts) {
    this.#parts = parts;
  }

  subscribe(listener: RunListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Begins a run, and resolves once it has a job.
   *
   * @param work executes the run to its end, with the options given: they carry its signal, its progress and its job
   * @throws HoldfastError `home_busy` with `home`, `pid`, `command` and `since` when this or another process is working;
   *   and what `work` rejects with before the run has begun
   */
  async start<Shape extends Progress>(
    request: RunRequest,
    work: (options: RunOptions<Shape> & TargetListeners) => Promise<unknown>,
  ): Promise<BegunRun> {
    this.throwIfBusy();
    const { clock, changes, journal } = this.#parts;
    const ids = request.targets?.map(({ id }) => id);
    const reached = request.kind === 'backup' ? journal.unfinishedProgress(request.set, ids) : undefined;
    const progress = new RunProgress(request, clock.now(), reached);
    const targets = new RunTargets(request.targets ?? []);
    const current: Current = { request, stop: new AbortController(), progress, targets };
    this.#current = current;
    const begun = Promise.withResolvers<number>();
    const options: RunOptions<Shape> & TargetListeners = {
      signal: current.stop.signal,
      trigger: request.trigger,
      ...(request.job === undefined ? {} : { job: request.job }),
      onJob: (id) => {
        progress.begin(id);
        begun.resolve(id);
        changes.notify();
      },
      onProgress: (update) => {
        progress.update(update, clock.now());
        const [only, another] = ids ?? [];
        if (update.kind === 'backup' && only !== undefined && another === undefined)
          targets.update(only, update, clock.now());
        changes.notify();
      },
      onProgressAt: (destination, update) => targets.update(destination, update, clock.now()),
      onEndAt: (destination) => {
        targets.ended(destination);
        this.#notify(({ endedAt }) => endedAt?.());
        changes.notify();
      },
    };
    const ended = this.#run(() => work(options)).then(
      () => {
        begun.reject(new Error(`a ${request.kind} ended without a job`));
        return this.#end(current, undefined);
      },
      (error: unknown) => {
        begun.reject(error);
        return this.#end(current, error);
      },
    );
    current.ended = ended;
    const id = await begun.promise;
    return { id, ended: ended as Promise<EndedRun> };
  }

  /** The active run with its current speed; `undefined` until it has a job. */
  active(): ActiveRun | undefined {
    return this.#current?.progress.state(this.#parts.clock.now());
  }

  /** The active run as the scheduler sees it, from the moment that it is requested. */
  ongoing(): OngoingRun | undefined {
    if (!this.#current) return undefined;
    const { request, progress, targets } = this.#current;
    const { kind, set, trigger } = request;
    const { startedAt } = progress;
    if (kind !== 'backup') return { kind, set, trigger, startedAt };
    const destinations = request.targets?.map(({ id }) => id);
    return { kind, set, trigger, startedAt, destinations, remaining: targets.remaining };
  }

  /** Ends the active backup after the chunks in flight, in favour of another. It counts as interrupted. */
  preempt(): void {
    if (this.#current?.request.kind === 'backup') this.#current.stop.abort('another backup is due');
  }

  /** The set of the active run, from the moment that it is requested. */
  get busySet(): string | undefined {
    return this.#current?.request.set;
  }

  /** Calls `begin` once when the active run has ended, before anything else can begin. Replaces an earlier callback. */
  afterThis(begin: () => void): void {
    this.#next = begin;
  }

  /** Ends a run after the chunks in flight. Does nothing if it has ended. */
  stop(id: number): void {
    if (this.#current?.progress.id !== id) return;
    this.#current.progress.stopping();
    this.#current.stop.abort(STOPPED_BY_PERSON);
    this.#parts.changes.notify();
  }

  /** Interrupts the active run, and resolves once it has ended. No run begins any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#current?.stop.abort('the program ends');
    await this.#current?.ended;
  }

  async #run(work: () => Promise<unknown>): Promise<unknown> {
    for (const { prepare } of this.#listeners) await prepare?.();
    return work();
  }

  /** @throws HoldfastError `home_busy`, `interrupted` once it is closed */
  throwIfBusy(): void {
    if (this.#isClosed) throw new HoldfastError('interrupted');
    if (!this.#current) return;
    const { request, progress } = this.#current;
    throw new HoldfastError(
      'home_busy',
      {
        home: this.#parts.home.folder,
        pid: process.pid,
        command: `${request.kind} ${request.set}`.trim(),
        since: new Date(progress.startedAt).toISOString(),
      },
      { retryable: true },
    );
  }

  #end({ request, progress }: Current, error: unknown): EndedRun | undefined {
    this.#current = undefined;
    const next = this.#next;
    this.#next = undefined;
    next?.();
    const run = this.#endOf(request, progress, error);
    if (run) this.#notify(({ ended }) => ended?.(run));
    this.#parts.changes.notify();
    return run;
  }

  #notify(call: (listener: RunListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        reportError(error);
      }
    }
  }

  #endOf(request: RunRequest, { id, startedAt }: RunProgress, error: unknown): EndedRun | undefined {
    const { journal } = this.#parts;
    if (id !== undefined) return journal.ended(id, request, error);
    return wasTried(error) ? journal.refused(request, startedAt, error) : undefined;
  }
}

interface Current {
  readonly request: RunRequest;
  readonly stop: AbortController;
  readonly progress: RunProgress;
  readonly targets: RunTargets;
  ended?: Promise<EndedRun | undefined>;
}
