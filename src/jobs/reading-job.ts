import type { Clock } from '../base/clock.ts';
import { isHoldfastError } from '../base/errors/errors.ts';
import { STOPPED_BY_PERSON } from './interruption.ts';
import type { JobState } from './job-state.ts';
import type { Journal } from './journal.ts';
import { jobErrorOf, type NewJob } from './job-record.ts';

interface Outcome<Report> {
  readonly report: Report;
  /** What is not as it should be; more than 0 makes the job end with warnings. */
  readonly warnings: number;
}

/**
 * Records work that reads without the home's lock, so that other work may go on beside it. While it works, its job is queued: a job that
 * is active without the lock would be marked as interrupted by whoever gets the lock. All of its transitions are written at its end; a
 * process that is killed leaves a job that never began, which no list shows.
 */
export class ReadingJob {
  readonly id: number;
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #readingAt: number | undefined;

  constructor(journal: Journal, clock: Clock, job: NewJob) {
    this.#journal = journal;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.id = journal.queue(job, this.#startedAt);
  }

  /** The plan is made, and content is read from now on. */
  reading(): void {
    this.#readingAt ??= this.#clock.now();
  }

  /** Does the work and records its outcome. An interruption by the person is a cancellation. */
  async record<Report>(
    work: () => Promise<Outcome<Report>>,
    {
      signal,
      explain,
    }: { readonly signal?: AbortSignal | undefined; readonly explain?: (error: unknown) => unknown } = {},
  ): Promise<Report> {
    try {
      const { report, warnings } = await work();
      this.#end(warnings > 0 ? 'succeeded-with-warnings' : 'succeeded', report);
      return report;
    } catch (error) {
      const isInterrupted = isHoldfastError(error, 'interrupted');
      const isStopped = isInterrupted && signal?.reason === STOPPED_BY_PERSON;
      this.#end(
        isStopped ? 'cancelled' : isInterrupted ? 'interrupted' : 'failed',
        jobErrorOf(explain?.(error) ?? error),
      );
      throw error;
    }
  }

  #end(state: JobState, report: unknown): void {
    const now = this.#clock.now();
    this.#journal.transition(this.id, 'planning', this.#startedAt);
    if (this.#readingAt !== undefined) this.#journal.transition(this.id, 'downloading', this.#readingAt);
    if (state === 'cancelled') this.#journal.transition(this.id, 'cancelling', now);
    this.#journal.transition(this.id, state, now, { report });
  }
}
