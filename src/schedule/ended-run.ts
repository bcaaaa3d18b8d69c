import type { Failure } from '../base/errors/failure.ts';
import type { Outcome } from '../model/run.ts';

/** An ended run of a set, regardless of who started it. Milliseconds since the epoch. */
export interface EndedRun {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly failure?: Failure | undefined;
  /** The app started it, so after an interruption it resumes by itself, whether anything is scheduled or not. */
  readonly resumesItself?: boolean | undefined;
  /** A person started it, in the window or at a terminal. */
  readonly isByPerson?: boolean | undefined;
}
