import type { Clock } from '../../base/clock.ts';
import { isHoldfastError } from '../../base/errors.ts';
import { STOPPED_BY_PERSON } from './interruption.ts';
import type { JobState } from './job-state.ts';
import { journalledError, type JobKind, type JobOrigin, type Journal } from './journal.ts';
import type { RunOptions } from './progress.ts';

/** What the journal is told beside the run itself. */
interface JobOptions extends JobOrigin, Pick<RunOptions<never>, 'signal' | 'onJob' | 'explain'> {}

interface Outcome<Report> {
  readonly report: Report;
  readonly warnings: number;
  /** What could not be done, beside what was. */
  readonly failures?: number;
}

/** A job whose every step stands in the journal, its end and its error too. */
export class RecordedJob {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #id: number;
  readonly #options: JobOptions;
  #state: JobState = 'queued';

  constructor(journal: Journal, clock: Clock, kind: JobKind, backupSet: string, options: JobOptions = {}) {
    this.#journal = journal;
    this.#clock = clock;
    this.#options = options;
    this.#id = journal.start(kind, backupSet, clock.now(), options);
    options.onJob?.(this.#id);
    this.step('scanning');
  }

  step(state: JobState): void {
    if (state === this.#state) return;
    this.#journal.step(this.#id, state, this.#clock.now());
    this.#state = state;
  }

  /** Runs the work and notes what came of it; work that ended with failures has failed, whatever else it did. */
  async record<Report>(work: () => Promise<Outcome<Report>>): Promise<Report> {
    try {
      const { report, warnings, failures = 0 } = await work();
      this.#end(failures > 0 ? 'failed' : warnings > 0 ? 'succeeded-with-warnings' : 'succeeded', report);
      return report;
    } catch (error) {
      this.#end(
        isHoldfastError(error, 'interrupted') ? this.#interruption() : 'failed',
        journalledError(this.#options.explain?.(error) ?? error),
      );
      throw error;
    }
  }

  #interruption(): JobState {
    if (this.#options.signal?.reason !== STOPPED_BY_PERSON) return 'interrupted';
    this.step('cancelling');
    return 'cancelled';
  }

  #end(state: JobState, report: unknown): void {
    this.#journal.step(this.#id, state, this.#clock.now(), { report });
    this.#state = state;
  }
}
