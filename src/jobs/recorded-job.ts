import type { Clock } from '../base/clock.ts';
import { HoldfastError, isHoldfastError } from '../base/errors/errors.ts';
import { STOPPED_BY_PERSON } from './interruption.ts';
import type { JobState } from './job-state.ts';
import type { Journal } from './journal.ts';
import { jobErrorOf, type JobProgress, type NewJob } from './job-record.ts';
import type { Progress, RestoreProgress, RunOptions } from './progress.ts';

interface Outcome<Report> {
  readonly report: Report;
  readonly warnings: number;
  /** The number of failures; more than 0 makes the job a failure. */
  readonly failures?: number;
}

/** Progress of a copy, whose files are restore points. */
export interface CopyJobProgress extends JobProgress {
  readonly kind: 'copy';
  readonly phase: RestoreProgress['phase'];
}

/** A crash loses the progress of this time at most, or of this part of the time since the job began. */
const PROGRESS_INTERVAL_MS = 3000;
const PROGRESS_INTERVAL_PART = 0.01;

/** Records a run in the journal: its phases, its progress, and its report or error. */
export class RecordedJob {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #id: number;
  readonly #options: RunOptions<never>;
  #state: JobState = 'queued';
  #progress: JobProgress | undefined;
  readonly #beganAt: number;
  #progressAt = Number.NEGATIVE_INFINITY;

  /**
   * @param options `job` is the row of this run if it has one already; otherwise one is added
   * @throws HoldfastError `interrupted` if that row was withdrawn meanwhile
   */
  constructor(journal: Journal, clock: Clock, job: NewJob, options: RunOptions<never> = {}) {
    this.#journal = journal;
    this.#clock = clock;
    this.#options = options;
    this.#beganAt = clock.now();
    const phase = job.kind === 'backup' ? 'scanning' : 'planning';
    // Before anybody learns of the run, so that a kill from here on counts as one.
    if (options.job === undefined) {
      this.#id = journal.begin({ ...job, trigger: options.trigger }, phase, clock.now());
      this.#state = phase;
    } else {
      this.#id = options.job;
      if (journal.get(this.#id)?.state === 'withdrawn') throw new HoldfastError('interrupted');
      this.transition(phase);
    }
    options.onJob?.(this.#id);
  }

  transition(state: JobState): void {
    if (state === this.#state) return;
    this.#journal.transition(this.#id, state, this.#clock.now());
    this.#state = state;
  }

  /** Records the phase and the progress of a run, now and then. */
  update(progress: Progress | CopyJobProgress): void {
    this.transition(progress.phase);
    const { filesDone, bytesDone } =
      progress.kind === 'backup' ? { filesDone: progress.filesScanned, bytesDone: progress.bytesUploaded } : progress;
    this.#progress = { filesDone, bytesDone };
    // Seldom in a run of days: the catalog's file grows with every write while a snapshot is open.
    const now = this.#clock.now();
    const interval = Math.max(PROGRESS_INTERVAL_MS, (now - this.#beganAt) * PROGRESS_INTERVAL_PART);
    if (Math.abs(now - this.#progressAt) >= interval) this.#recordProgress();
  }

  /** Runs the work and records its outcome. Work with failures has failed, whatever else it did. */
  async record<Report>(work: () => Promise<Outcome<Report>>): Promise<Report> {
    try {
      const { report, warnings, failures = 0 } = await work();
      this.#end(failures > 0 ? 'failed' : warnings > 0 ? 'succeeded-with-warnings' : 'succeeded', report);
      return report;
    } catch (error) {
      this.#end(
        isHoldfastError(error, 'interrupted') ? this.#interruption() : 'failed',
        jobErrorOf(this.#options.explain?.(error) ?? error),
      );
      throw error;
    }
  }

  #interruption(): JobState {
    if (this.#options.signal?.reason !== STOPPED_BY_PERSON) return 'interrupted';
    this.transition('cancelling');
    return 'cancelled';
  }

  #end(state: JobState, report: unknown): void {
    this.#recordProgress();
    this.#journal.transition(this.#id, state, this.#clock.now(), { report });
    this.#state = state;
  }

  #recordProgress(): void {
    if (!this.#progress) return;
    this.#progressAt = this.#clock.now();
    try {
      this.#journal.recordProgress(this.#id, this.#progress, this.#progressAt);
    } catch {
      // Nothing depends on the recorded progress, and a full disk in the home must not end a restore elsewhere.
    }
  }
}
