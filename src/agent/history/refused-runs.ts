import { type ErrorCode, isHoldfastError } from '../../base/errors/errors.ts';
import type { Failure } from '../../base/errors/failure.ts';
import type { Journal } from '../../jobs/journal.ts';
import type { RunKind } from '../../model/run.ts';

/** With these errors nothing was tried: the caller gets the error, and the journal records nothing. */
const NOT_TRIED: ReadonlySet<ErrorCode> = new Set([
  'home_busy',
  'set_unknown',
  'destination_unknown',
  'not_set_up',
  'usage',
  'interrupted',
]);

/** Returns whether a run that failed with this error before it had a job belongs in the journal. */
export function wasTried(error: unknown): boolean {
  return !isHoldfastError(error) || !NOT_TRIED.has(error.code);
}

/** A run that failed before it began. */
export interface RefusedRun {
  readonly kind: RunKind;
  /** Empty for a run that concerns a destination. */
  readonly set: string;
  /** The ids of its destinations, at least one. */
  readonly destinations: readonly string[];
  readonly trigger: string | undefined;
  /** Its job, if it was recorded when the run was requested. */
  readonly job?: number | undefined;
  /** Milliseconds since the epoch, like `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failure: Failure;
}

/** Records a failed job for each destination of a run. Returns the id of the first. */
export function recordRefused(journal: Journal, run: RefusedRun): number {
  const { kind, set, destinations, trigger, startedAt, endedAt } = run;
  const { code, details } = run.failure;
  const ids = destinations.map((destination, index) => {
    const known = index === 0 ? run.job : undefined;
    const job = known ?? journal.queue({ kind, backupSet: set, destination, trigger }, startedAt);
    journal.transition(job, 'failed', endedAt, { report: { error: code, message: code, details } });
    return job;
  });
  return ids[0]!;
}
