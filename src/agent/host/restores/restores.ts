import { resolve } from 'node:path';
import { isHoldfastError } from '../../../base/errors.ts';
import { type Failure, failureOf } from '../../../base/failure.ts';
import type { RestoreProgress } from '../../../engine/job/progress.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { RestoreRequest } from '../../../ipc/contract/restore.ts';
import type { Need } from '../../../ipc/state.ts';
import type { Agent } from '../../agent.ts';
import type { RestoreOptions } from '../../operations/restore.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import type { KeptRestore, KeptRestores } from './kept-restores.ts';
import type { Records } from '../activity/journal-access.ts';
import { lostRun, newestRun, type LostRun } from './restore-runs.ts';
import { isFolder, volumeOf } from './restore-target.ts';
import type { BegunRun, EndedRun, RunQueue } from '../runs/run-queue.ts';

/** Another process tells nobody when it has ended, nor a disk when it comes back. */
const LOOK_MS = 2000;
/** A restore that has ended its process so often may well be the reason. */
const MOST_CUT_OFFS = 3;

export interface RestoresParts {
  readonly agent: Pick<Agent, 'restore'>;
  readonly runs: Pick<RunQueue, 'start' | 'afterThis' | 'busySet'>;
  readonly clock: { now(): number };
  readonly records: Pick<Records, 'read'>;
  readonly kept: KeptRestores;
  /** What a restore of a set may take of the line. */
  readonly limits?: (set: string) => TransferLimits;
  /** The place where backups are, while it is not there. */
  readonly missingPlace?: () => Promise<string | undefined>;
  /** What is told of unfinished restores is another. */
  readonly changed?: () => void;
}

/** A restore that is to begin, or to go on. */
interface Waiting {
  readonly kept: KeptRestore;
  /** Left over by a process that is gone: what it needs may not be there yet. */
  readonly isLeftOver: boolean;
  /** Some of it was done by a run before. */
  readonly isResumed: boolean;
  /** Why it has not begun: a place that it needs and that is not there, or another program that is at work. */
  hindrance?: { readonly waitsFor?: string };
}

/**
 * The restores that a person asked for, until they have what they wanted or do not want it any more: begun at once, put off
 * until something else has ended, or left over by a process that was killed and taken up again.
 */
export class Restores {
  readonly #parts: RestoresParts;
  /** What begins next comes first. */
  #waiting: readonly Waiting[] = [];
  #begun: KeptRestore | undefined;
  #stopped: KeptRestore | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: RestoresParts) {
    this.#parts = parts;
  }

  /** The one that waits; where there are two, the one that the person put off. */
  get request(): RestoreRequest | undefined {
    return this.#waiting.at(-1)?.kept.request;
  }

  /** One that does not begin or go on by itself, and why not. */
  get stopped(): { readonly request: RestoreRequest; readonly failure: Failure } | undefined {
    const { request, failure } = this.#stopped ?? {};
    return request && failure && { request, failure };
  }

  /** What a person has to know of those that have not gone on by themselves. */
  get needs(): readonly Need[] {
    const [first] = this.#waiting;
    const isHindered = first?.isLeftOver === true && this.#parts.runs.busySet === undefined;
    return [
      ...(this.stopped ? [needOf(this.stopped.request, { failure: this.stopped.failure })] : []),
      ...(isHindered && first.hindrance ? [needOf(first.kept.request, first.hindrance)] : []),
    ];
  }

  /** What is given to the agent for a request. @throws HoldfastError `time_invalid` */
  async optionsOf(request: RestoreRequest): Promise<RestoreOptions> {
    return this.#options(request, await pointInTime(request.restorePoint, this.#parts.clock.now()));
  }

  /** Begins one in the place of all that wait. @throws what `RunQueue.start` throws */
  async start(request: RestoreRequest): Promise<BegunRun> {
    const kept = await this.#keptOf(request);
    this.forget();
    return this.#begin({ kept, isLeftOver: false, isResumed: false });
  }

  /** Begins it now where nothing is at work, else as soon as that has ended. It takes the place of one before. */
  async put(request: RestoreRequest): Promise<void> {
    const kept = await this.#keptOf(request);
    this.forget();
    this.#waiting = [{ kept, isLeftOver: false, isResumed: false }];
    this.#save();
    this.#next();
  }

  /** What waits is not begun, and what has stopped is told no more. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#stopped = undefined;
    this.#save();
    this.#parts.changed?.();
  }

  /**
   * Takes up what a process that is gone has left over.
   *
   * @returns nothing where that is nothing; else what ends when the first of it has the queue of runs for itself, or has to
   *   wait: until it has begun, a service that cannot be reached may be waited for
   */
  resume(): Promise<void> | undefined {
    const { kept, records } = this.#parts;
    for (const one of kept.load())
      this.#takeUp(
        one,
        records.read(({ journal }) => lostRun(journal, one)),
      );
    this.#save();
    return this.#waiting.length === 0 ? undefined : this.#lookAt(this.#waiting[0]!);
  }

  /** Begins nothing more; what is not done yet is kept for the next start. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #takeUp(kept: KeptRestore, lost: LostRun): void {
    if (kept.state === 'stopped') this.#stopped = kept;
    else if (lost.kind === 'waits') this.#leave({ kept, isLeftOver: true, isResumed: false });
    else if (lost.kind === 'cut-off') {
      const cutOffs = kept.cutOffs + (lost.wasKilled ? 1 : 0);
      const next: KeptRestore = { ...kept, state: 'begun', run: lost.run, cutOffs };
      if (cutOffs <= MOST_CUT_OFFS) this.#leave({ kept: next, isLeftOver: true, isResumed: true });
      else this.#stop(next, { code: 'interrupted', details: { problem: 'repeatedly' } });
    }
  }

  /** What was begun already goes on before what had to wait for it. */
  #leave(waiting: Waiting): void {
    this.#waiting = [...this.#waiting, waiting].toSorted(
      (one, other) => Number(other.isResumed) - Number(one.isResumed),
    );
  }

  #next(): void {
    const { runs } = this.#parts;
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (!first || this.#isClosed) return;
    if (runs.busySet !== undefined) runs.afterThis(() => this.#next());
    else if (first.isLeftOver) void this.#lookAt(first);
    else void this.#tryToBegin(first);
  }

  async #lookAt(first: Waiting): Promise<void> {
    const missing = await this.#missing(first);
    if (first !== this.#waiting[0] || this.#isClosed) return;
    if (missing.failure) {
      this.#drop(first);
      this.#stop(first.kept, missing.failure);
      this.#next();
    } else if (missing.place === undefined) void this.#tryToBegin(first);
    else this.#waitFor(first, missing.place);
  }

  async #tryToBegin(waiting: Waiting): Promise<void> {
    const { runs } = this.#parts;
    if (runs.busySet !== undefined) return runs.afterThis(() => this.#next());
    try {
      await this.#begin(waiting);
    } catch (error) {
      if (!this.#waiting.includes(waiting)) return;
      if (isHoldfastError(error, 'interrupted') && this.#isClosed) return;
      if (isHoldfastError(error, 'home_busy')) return this.#waitFor(waiting, undefined);
      this.#drop(waiting);
      this.#stop(waiting.kept, failureOf(error) ?? { code: 'internal', details: {} });
    }
    this.#next();
  }

  #waitFor(waiting: Waiting, place: string | undefined): void {
    waiting.hindrance = place === undefined ? {} : { waitsFor: place };
    this.#parts.changed?.();
    this.#timer = setTimeout(() => this.#next(), LOOK_MS).unref();
  }

  /** Its run has begun before this first waits for anything, so that nothing else comes in between. */
  async #begin(waiting: Waiting): Promise<BegunRun> {
    const { agent, runs, changed } = this.#parts;
    const { request, at } = waiting.kept;
    const options = this.#options(request, at);
    const trigger = waiting.isResumed ? 'resume' : 'person';
    const begun = await runs.start<RestoreProgress>({ kind: 'restore', set: request.set, trigger }, (given) =>
      agent.restore(options, given),
    );
    const kept: KeptRestore = { ...waiting.kept, state: 'begun', run: begun.id };
    this.#begun = kept;
    this.#drop(waiting);
    changed?.();
    void begun.ended.then((run) => this.#ended(kept, waiting, run));
    return begun;
  }

  #ended(kept: KeptRestore, { isLeftOver }: Waiting, { outcome, failure }: EndedRun): void {
    // What was cut off stays, for the next start.
    if (outcome === 'interrupted') return;
    if (this.#begun === kept) this.#begun = undefined;
    // Whoever has begun one looks at it; of what began by itself, nobody may have seen the end.
    if (isLeftOver && outcome === 'failed' && failure) this.#stop(kept, failure);
    this.#save();
  }

  #stop(kept: KeptRestore, failure: Failure): void {
    this.#stopped = { ...kept, state: 'stopped', failure };
    this.#save();
    this.#parts.changed?.();
  }

  #drop(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    this.#save();
  }

  #save(): void {
    const waiting = this.#waiting.map(({ kept }) => kept);
    const others = [this.#begun, this.#stopped].filter((one) => one !== undefined);
    this.#parts.kept.save([...others, ...waiting]);
  }

  async #keptOf(request: RestoreRequest): Promise<KeptRestore> {
    const { clock, records } = this.#parts;
    const at = await pointInTime(request.restorePoint, clock.now());
    const volume = await volumeOf(request.to);
    const run = records.read(({ journal }) => newestRun(journal));
    return { request, at, state: 'waiting', run, cutOffs: 0, ...(volume === undefined ? {} : { volume }) };
  }

  /** What one that was left over needs and does not find: a place to wait for, or something that will not come back. */
  async #missing({ kept }: Waiting): Promise<{ readonly place?: string; readonly failure?: Failure }> {
    const { missingPlace, records } = this.#parts;
    const destination = await missingPlace?.();
    if (destination !== undefined) return { place: destination };
    const { to } = kept.request;
    if (kept.volume !== undefined && (await volumeOf(to)) !== kept.volume) return { place: kept.volume };
    const hasWritten =
      kept.state === 'begun' &&
      records.read(({ journal }) => journal.transitions(kept.run)).some(({ state }) => state === 'uploading');
    if (!hasWritten || (await isFolder(resolve(to)))) return {};
    return { failure: { code: 'target_unwritable', details: { target: to, problem: 'gone' } } };
  }

  #options({ set, device, paths, without = [], to, conflict }: RestoreRequest, at: number | 'latest'): RestoreOptions {
    return {
      set,
      at,
      paths,
      without,
      to: resolve(to),
      ...this.#parts.limits?.(set),
      ...(device === undefined ? {} : { device }),
      ...(conflict === undefined ? {} : { conflict }),
    };
  }
}

function needOf({ set, to }: RestoreRequest, why: { readonly waitsFor?: string; readonly failure?: Failure }): Need {
  return { kind: 'restore-unfinished', set, to, ...why };
}
