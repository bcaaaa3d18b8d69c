import type { Outcome } from '../../model/run.ts';

/** A job, as far as its run can be told from it. */
export interface JobOfRun {
  readonly backupSet: string;
  readonly destination: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `null` for a job that has not ended. */
  readonly endedAt: number | null;
}

/**
 * Groups backups into runs: a run to several destinations has a job for each. They begin together, and runs of a computer never
 * overlap.
 *
 * @param jobs in any order
 * @returns the oldest first
 */
export function runsOf<Job extends JobOfRun>(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const runs: Job[][] = [];
  const newest = new Map<string, Job[]>();
  for (const job of jobs.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const run = newest.get(job.backupSet);
    if (run && isSameRun(run, job)) run.push(job);
    else {
      const begun = [job];
      runs.push(begun);
      newest.set(job.backupSet, begun);
    }
  }
  return runs;
}

function isSameRun(run: readonly JobOfRun[], { destination, startedAt }: JobOfRun): boolean {
  const isOther = run.every((job) => job.destination !== destination);
  return isOther && run.some(({ endedAt }) => endedAt === null || endedAt >= startedAt);
}

/**
 * Returns the outcome of a run from those of its destinations. `warnings` if it failed at some and succeeded at others; a part that was
 * interrupted is continued, and does not matter if another succeeded.
 */
export function outcomeOfRun(outcomes: readonly Outcome[]): Outcome {
  const has = (outcome: Outcome): boolean => outcomes.includes(outcome);
  if (has('succeeded') || has('warnings')) return has('failed') || has('warnings') ? 'warnings' : 'succeeded';
  if (has('failed')) return 'failed';
  return has('cancelled') ? 'cancelled' : 'interrupted';
}
