import { resolve } from 'node:path';
import { failure } from '../../../base/calls/answer.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { failureOf, INTERNAL, type Failure } from '../../../base/errors/failure.ts';
import { restoreRequestOf } from '../../../jobs/job-request.ts';
import type { RestoreRequest } from '../../../model/restore-request.ts';
import { PENDING_STATES } from '../../../jobs/job-state.ts';
import type { Journal } from '../../../jobs/journal.ts';
import type { RestoreRecord } from '../../../jobs/job-record.ts';
import type { RestoreProgress } from '../../../jobs/progress.ts';
import type { Need } from '../../../model/need.ts';
import type { Trigger } from '../../../model/run.ts';
import type { Agent } from '../../agent.ts';
import { resolveRestoreRequest } from '../../operations/restore/restore-request.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { HomeSettings } from '../home-settings.ts';
import type { DestinationWatches } from '../destination/destination-watches.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { BegunRun, EndedRun } from '../runs/run-request.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import type { StateChanges } from '../state-changes.ts';
import { isFolder, volumeOf } from './target-volume.ts';

/** The interval of retries of a waiting restore: no event reports that another process has ended, or a disk came back. */
const RETRY_MS = 2000;
/** A restore whose process was killed more often than this is blocked, since it may be the cause. */
const MAX_KILLS = 3;

export interface RestoresParts {
  readonly settings: HomeSettings;
  readonly agent: Pick<Agent, 'restore'>;
  readonly runs: Pick<RunQueue, 'start' | 'afterThis' | 'busySet'>;
  readonly clock: { now(): number };
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly starter: Pick<RunStarter, 'limits'>;
  readonly destination: Pick<DestinationWatches, 'missingPath'>;
  readonly changes: Pick<StateChanges, 'notify'>;
}

/**
 * The restores that a person requested. Each is a job of the journal from the moment of the request: it begins at once,
 * when the active run has ended, or when the disks that it needs are connected; and it is continued by a new job after
 * its process was killed or ended.
 */
export class Restores {
  readonly #parts: RestoresParts;
  /** Pending jobs of an earlier process: the disks that they need may not be connected yet. */
  readonly #leftOver = new Set<number>();
  /** A job that begins at once or not at all, and so is not waiting. */
  #unlisted: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: RestoresParts) {
    this.#parts = parts;
  }

  /** The request of the restore that waits; if there are several, the one that the person postponed. */
  get request(): RestoreRequest | undefined {
    const job = this.#waiting().at(-1);
    return job && restoreRequestOf(job);
  }

  /** A restore that does not begin or continue by itself, and why. */
  get blocked(): { readonly request: RestoreRequest; readonly failure: Failure } | undefined {
    const job = this.#pending().findLast(({ state }) => state === 'blocked');
    if (!job) return undefined;
    const { error: code, details } = JSON.parse(job.report ?? '{}') as { error?: unknown; details?: unknown };
    return { request: restoreRequestOf(job)!, failure: failure.parse({ code, details }) };
  }

  /** Needs of a person because of restores that did not continue by themselves. */
  get needs(): readonly Need[] {
    const { blocked } = this;
    const [first] = this.#waiting();
    const isHeldUp =
      first?.state === 'waiting' && this.#leftOver.has(first.id) && this.#parts.runs.busySet === undefined;
    return [
      ...(blocked ? [needOf(blocked.request, { failure: blocked.failure })] : []),
      ...(isHeldUp
        ? [needOf(restoreRequestOf(first)!, first.waitsFor === null ? {} : { waitsFor: first.waitsFor })]
        : []),
    ];
  }

  /** Begins a restore instead of all that wait. @throws what `RunQueue.start` throws */
  async start(request: RestoreRequest): Promise<BegunRun> {
    const job = await this.#record(request);
    this.#unlisted = job.id;
    try {
      return await this.#begin(job);
    } catch (error) {
      if (this.#isPending(job.id)) this.#journal((journal, now) => journal.transition(job.id, 'withdrawn', now));
      throw error;
    } finally {
      this.#unlisted = undefined;
    }
  }

  /** Begins a restore as soon as no run is active. Replaces those that wait. */
  async put(request: RestoreRequest): Promise<void> {
    await this.#record(request);
    this.#next();
  }

  /** Withdraws the restores that wait or are blocked. One of them that is just beginning finds its job withdrawn, and ends. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#journal((journal, now) => {
      for (const { id } of this.#pending()) journal.transition(id, 'withdrawn', now);
    });
    this.#parts.changes.notify();
  }

  /**
   * Continues the restores that an earlier process left pending.
   *
   * @returns `undefined` if there is nothing; else a promise that resolves when the first restore has the run queue for
   *   itself or has to wait. A service that cannot be reached may keep it from beginning after that.
   */
  resume(): Promise<void> | undefined {
    if (!this.#deviceId) return undefined;
    this.#journal((journal, now) => {
      for (const job of journal.unresumedRestores()) queueResumption(journal, job, now);
    });
    for (const { id } of this.#pending()) this.#leftOver.add(id);
    const [first] = this.#waiting();
    return first && this.#check(first);
  }

  /** Begins no more restores. Those that wait are left for the next process. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    const { runs } = this.#parts;
    clearTimeout(this.#timer);
    const [first] = this.#waiting();
    if (!first || this.#isClosed) return;
    if (runs.busySet !== undefined) runs.afterThis(() => this.#next());
    else if (this.#leftOver.has(first.id)) void this.#check(first);
    else void this.#tryToBegin(first);
  }

  async #check(job: RestoreRecord): Promise<void> {
    const missing = await this.#missing(job);
    if (this.#isClosed || job.id !== this.#waiting()[0]?.id) return;
    if (missing.failure) {
      this.#block(job, missing.failure);
      this.#next();
    } else if (missing.path === undefined) void this.#tryToBegin(job);
    else this.#wait(job, missing.path);
  }

  async #tryToBegin(job: RestoreRecord): Promise<void> {
    const { runs } = this.#parts;
    if (runs.busySet !== undefined) return runs.afterThis(() => this.#next());
    try {
      await this.#begin(job);
    } catch (error) {
      if (this.#isClosed && isHoldfastError(error, 'interrupted')) return;
      if (isHoldfastError(error, 'home_busy')) return this.#wait(job, undefined);
      if (!this.#isWithdrawn(job.id)) this.#block(job, failureOf(error) ?? INTERNAL);
    }
    this.#next();
  }

  #wait({ id }: RestoreRecord, path: string | undefined): void {
    // It may have been withdrawn meanwhile.
    if (!this.#isPending(id)) return;
    this.#journal((journal, now) => journal.wait(id, path, now));
    this.#parts.changes.notify();
    this.#timer = setTimeout(() => this.#next(), RETRY_MS).unref();
  }

  /** The run queue is busy before this first waits for anything, so that nothing else can begin in between. */
  async #begin(job: RestoreRecord): Promise<BegunRun> {
    const { agent, runs, starter, changes } = this.#parts;
    const { backupSet: set } = job;
    const options = { ...restoreRequestOf(job)!, ...starter.limits(set) };
    const request = { kind: 'restore', set, trigger: job.trigger as Trigger, job: job.id } as const;
    const begun = await runs.start<RestoreProgress>(request, (run) => agent.restore(options, run));
    changes.notify();
    void begun.ended.then((run) => this.#ended(job, run));
    return begun;
  }

  #ended(job: RestoreRecord, { outcome, failure: failed }: EndedRun): void {
    if (outcome === 'interrupted') return;
    this.#journal((journal, now) => {
      // A thread that ended by itself recorded nothing. Failed restores are not continued.
      if (journal.get(job.id)?.endedAt === null) journal.transition(job.id, 'failed', now);
    });
    // A person watches the runs that they started, but may have missed the end of automatic ones.
    if (this.#leftOver.has(job.id) && outcome === 'failed' && failed) this.#block(job, failed);
  }

  /** Leaves a blocked job, so that a person learns of a restore that did not begin or continue. */
  #block({ id }: RestoreRecord, { code, details }: Failure): void {
    this.#journal((journal, now) => {
      const blocked = this.#isPending(id) ? id : journal.queueResumption(id, 'resume', false, now);
      journal.transition(blocked, 'blocked', now, { report: { error: code, message: code, details } });
    });
    this.#parts.changes.notify();
  }

  async #record(request: RestoreRequest): Promise<RestoreRecord> {
    const { id, deviceId } = this.#parts.settings.require();
    const destination = request.destination ?? id;
    const resolved = resolveRestoreRequest(request, deviceId);
    const place = placeOf(resolved);
    const targetVolume = place === undefined ? undefined : await volumeOf(place);
    this.forget();
    const job = {
      kind: 'restore',
      backupSet: resolved.set,
      destination,
      trigger: 'person',
      request: resolved,
      targetVolume,
    } as const;
    const queued = this.#journal((journal, now) => journal.queue(job, now));
    return this.#pending().find((pending) => pending.id === queued)!;
  }

  /** Returns the missing requirement of a pending restore: a path that may come back, or a failure if it will not. */
  async #missing(job: RestoreRecord): Promise<{ readonly path?: string; readonly failure?: Failure }> {
    const request = restoreRequestOf(job)!;
    const { to, destination } = request;
    const place = placeOf(request);
    const missing = await this.#missingDestination(destination);
    if (missing !== undefined) return { path: missing };
    const { targetVolume, resumes } = job;
    const isThere = targetVolume === null || place === undefined || (await volumeOf(place)) === targetVolume;
    if (!isThere) return { path: targetVolume };
    const hasWritten =
      resumes !== null &&
      this.#journal((journal) => journal.transitions(resumes)).some(({ state }) => state === 'downloading');
    if (!hasWritten || to === null || (await isFolder(resolve(to)))) return {};
    return { failure: { code: 'target_unwritable', details: { target: to, problem: 'gone' } } };
  }

  /** Returns the path of the destination that a restore needs; if it needs none in particular, of the first if all are missing. */
  async #missingDestination(id: string | undefined): Promise<string | undefined> {
    const { destination, settings } = this.#parts;
    const ids = id === undefined ? settings.entries.map((entry) => entry.id) : [id];
    const paths = await Promise.all(ids.map((one) => destination.missingPath(one)));
    return paths.every((path) => path !== undefined) ? paths[0] : undefined;
  }

  /** Jobs that begin by themselves, the next one first. */
  #waiting(): RestoreRecord[] {
    return this.#pending().filter(({ state }) => state !== 'blocked');
  }

  #pending(): RestoreRecord[] {
    if (!this.#deviceId) return [];
    return this.#journal((journal) => journal.pendingRestores()).filter(({ id }) => id !== this.#unlisted);
  }

  #isWithdrawn(id: number): boolean {
    return this.#journal((journal) => journal.get(id))?.state === 'withdrawn';
  }

  #isPending(id: number): boolean {
    const job = this.#journal((journal) => journal.get(id));
    return job !== undefined && PENDING_STATES.includes(job.state);
  }

  /** The id of this computer; `undefined` before setup, when there is no journal either. */
  get #deviceId(): string | undefined {
    return this.#parts.settings.loadIfIntact()?.deviceId;
  }

  #journal<Result>(work: (journal: Journal, now: number) => Result): Result {
    return this.#parts.catalog.read(({ journal }) => work(journal, this.#parts.clock.now()));
  }
}

/** A path on the volume that a restore writes to; `undefined` for a whole set that goes back to its original place. */
function placeOf({ to, paths }: Pick<RestoreRequest, 'to' | 'paths'>): string | undefined {
  return to ?? paths[0];
}

/** Adds the job that continues one whose process ended, unless it was killed too often. */
function queueResumption(journal: Journal, { id, endedAt, report, kills }: RestoreRecord, now: number): void {
  // Another program may hold the home's lock, which is needed to mark everything that was interrupted.
  if (endedAt === null) journal.transition(id, 'interrupted', now, { reason: 'the process ended' });
  // A process that ended gracefully has recorded its progress.
  const wasKilled = report === null;
  const resumption = journal.queueResumption(id, 'resume', wasKilled, now);
  if (kills + Number(wasKilled) <= MAX_KILLS) return;
  const details = { problem: 'repeatedly' };
  journal.transition(resumption, 'blocked', now, { report: { error: 'interrupted', message: 'interrupted', details } });
}

function needOf({ set, to }: RestoreRequest, why: { readonly waitsFor?: string; readonly failure?: Failure }): Need {
  return { kind: 'restore-unfinished', set, to, ...why };
}
