import type { Clock } from '../../../base/clock.ts';
import { type ErrorCode, HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { STOPPED_BY_PERSON } from '../../../engine/job/interruption.ts';
import type { Progress, RunOptions } from '../../../engine/job/progress.ts';
import type { ActiveRun, LastRun, RunKind, Trigger } from '../../../ipc/state.ts';
import type { Home } from '../../home/home.ts';
import type { KeptProgress, Reached } from './kept-progress.ts';
import { RunProgress } from './run-progress.ts';

export interface RunRequest {
  readonly kind: RunKind;
  readonly set: string;
  readonly trigger: Trigger;
}

/** How a run ended, as the journal has it. */
export interface EndedRun extends RunRequest, LastRun {}

/** A run that has begun: it has its number, and its row in the journal. */
export interface BegunRun {
  readonly id: number;
  /** Never rejects. */
  readonly ended: Promise<EndedRun>;
}

export interface RunQueueParts {
  readonly home: Home;
  readonly clock: Clock;
  /** The journal of the home, for how a run ended and for one that failed before it had a row. */
  readonly ends: RunEnds;
  /** The state of a run has changed. */
  readonly changed: () => void;
  readonly ended: (run: EndedRun) => void;
  /** Where runs leave how far they are, for one that goes on with them. */
  readonly kept?: KeptProgress;
  /** Whether the next backup of a set goes on with one that was cut off. */
  readonly isResumable?: (set: string) => boolean;
  /** What has to be out of the way before a run begins. Does not reject. */
  readonly prepare?: () => Promise<void>;
}

export interface RunEnds {
  /** How the job of this number ended; `error` is what the run threw. */
  ended(id: number, request: RunRequest, error: unknown): EndedRun;
  /** A run that could not even begin: it is noted like every other one that failed. */
  refused(request: RunRequest, startedAt: number, error: unknown): EndedRun;
}

/** What says that nothing was tried: whoever asked is told, and the journal has nothing to note. */
const NOT_TRIED: ReadonlySet<ErrorCode> = new Set(['home_busy', 'set_unknown', 'not_set_up', 'usage', 'interrupted']);

/** Runs of this process: one at a time, since each has the home for itself. */
export class RunQueue {
  readonly #parts: RunQueueParts;
  #current: Current | undefined;
  #isClosed = false;
  #next: (() => void) | undefined;

  constructor(parts: RunQueueParts) {
    this.#parts = parts;
  }

  /**
   * Begins a run, and resolves once it has its number.
   *
   * @param work runs it with the options that it is given, whole: they carry its signal, its progress and its number
   * @throws HoldfastError `home_busy` with `home`, `pid`, `command` and `since` where this or another process is at
   *   work; and what `work` rejects with before it has begun
   */
  async start<Shape extends Progress>(
    request: RunRequest,
    work: (options: RunOptions<Shape>) => Promise<unknown>,
  ): Promise<BegunRun> {
    this.#throwIfBusy();
    const { clock, changed } = this.#parts;
    const startedAt = clock.now();
    const progress = new RunProgress(request, startedAt, this.#reached(request, startedAt));
    const current: Current = { request, stop: new AbortController(), progress };
    this.#current = current;
    const begun = Promise.withResolvers<number>();
    const options: RunOptions<Shape> = {
      signal: current.stop.signal,
      trigger: request.trigger,
      onJob: (id) => {
        current.progress.begin(id);
        begun.resolve(id);
        changed();
      },
      onProgress: (told) => {
        current.progress.update(told, clock.now());
        this.#keep(current);
        changed();
      },
    };
    const working = (async () => {
      await this.#parts.prepare?.();
      return work(options);
    })();
    const ended = working.then(
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

  /** The run that goes on, with the speed as it is now. Nothing before it has its number. */
  active(): ActiveRun | undefined {
    return this.#current?.progress.state(this.#parts.clock.now());
  }

  /** The set of the run that goes on, from the moment on that it was asked for. */
  get busySet(): string | undefined {
    return this.#current?.request.set;
  }

  /** Called once as soon as the run that goes on has ended, before anything else can begin; the newest one counts. */
  afterThis(begin: () => void): void {
    this.#next = begin;
  }

  /** Ends a run after what is in flight; one that has ended already is none. */
  stop(id: number): void {
    if (this.#current?.progress.id !== id) return;
    this.#current.progress.stopping();
    this.#current.stop.abort(STOPPED_BY_PERSON);
    this.#parts.changed();
  }

  /** Interrupts what goes on, and resolves once it has ended. Nothing begins any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#current?.stop.abort('the program ends');
    await this.#current?.ended;
  }

  #throwIfBusy(): void {
    if (this.#isClosed) throw new HoldfastError('interrupted');
    if (!this.#current) return;
    const { request, progress } = this.#current;
    throw new HoldfastError(
      'home_busy',
      {
        home: this.#parts.home.folder,
        pid: process.pid,
        command: `${request.kind} ${request.set}`,
        since: new Date(progress.startedAt).toISOString(),
      },
      { retryable: true },
    );
  }

  /** Nothing where a run begins anew. */
  #reached({ kind, set }: RunRequest, now: number): Reached | undefined {
    const { kept, isResumable } = this.#parts;
    return kind === 'backup' && isResumable?.(set) === true ? kept?.of(set, now) : undefined;
  }

  #keep({ progress }: Current): void {
    const { kept, clock } = this.#parts;
    const now = clock.now();
    const run = progress.state(now);
    if (run) kept?.note(run, now);
  }

  /** @param isCutOff it has not come to a good end; one that could not even begin leaves all as it was */
  #leave({ request, progress }: Current, isCutOff: boolean): void {
    const { kept, clock } = this.#parts;
    const now = clock.now();
    const last = isCutOff ? progress.state(now) : undefined;
    if (request.kind === 'backup' && (last || !isCutOff)) void kept?.ended(last, now);
  }

  #end(current: Current, error: unknown): EndedRun | undefined {
    const { request, progress } = current;
    this.#current = undefined;
    this.#leave(current, error !== undefined);
    const next = this.#next;
    this.#next = undefined;
    next?.();
    const run = this.#ended(request, progress, error);
    if (run) this.#parts.ended(run);
    this.#parts.changed();
    return run;
  }

  #ended(request: RunRequest, { id, startedAt }: RunProgress, error: unknown): EndedRun | undefined {
    const { ends } = this.#parts;
    if (id !== undefined) return ends.ended(id, request, error);
    if (isHoldfastError(error) && NOT_TRIED.has(error.code)) return undefined;
    return ends.refused(request, startedAt, error);
  }
}

interface Current {
  readonly request: RunRequest;
  readonly stop: AbortController;
  readonly progress: RunProgress;
  ended?: Promise<EndedRun | undefined>;
}
