import type { Clock } from '../clock.ts';
import { isHoldfastError } from '../errors.ts';
import type { JobState } from './job-state.ts';
import type { JobKind, Journal } from './journal.ts';

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
  #state: JobState = 'queued';

  constructor(journal: Journal, clock: Clock, kind: JobKind, backupSet: string) {
    this.#journal = journal;
    this.#clock = clock;
    this.#id = journal.start(kind, backupSet, clock.now());
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
      const code = isHoldfastError(error) ? error.code : 'bug';
      this.#end(code === 'interrupted' ? 'interrupted' : 'failed', { error: code, message: String(error) });
      throw error;
    }
  }

  #end(state: JobState, report: unknown): void {
    this.#journal.step(this.#id, state, this.#clock.now(), { report });
    this.#state = state;
  }
}
