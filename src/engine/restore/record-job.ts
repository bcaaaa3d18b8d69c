import type { JobState } from '../job/job-state.ts';
import type { JournalledRequest } from '../job/journal.ts';
import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import { RecordedJob } from '../job/recorded-job.ts';
import type { RestoreDependencies, RestoreReport, VerifyReport } from './types.ts';

/** The job states of the phases: all kinds of jobs share their states. */
const STATES: Readonly<Record<RestoreProgress['phase'], JobState>> = {
  planning: 'scanning',
  downloading: 'uploading',
  finishing: 'committing',
};

interface RestoreJob {
  readonly kind: 'restore' | 'verify';
  readonly backupSet: string;
  /** The folder that a restore writes to. */
  readonly target?: string;
  readonly request?: JournalledRequest;
}

/** Runs a restore or a verification and records its progress and outcome in the journal. */
export function recordJob<Report extends RestoreReport | VerifyReport>(
  { kind, backupSet, ...origin }: RestoreJob,
  deps: Pick<RestoreDependencies, 'catalog' | 'clock'>,
  options: RunOptions<RestoreProgress>,
  run: (options: RunOptions<RestoreProgress>) => Promise<Report>,
): Promise<Report> {
  const job = new RecordedJob(deps.catalog.journal, deps.clock, kind, backupSet, { ...options, ...origin });
  const onProgress = (progress: RestoreProgress): void => {
    job.step(STATES[progress.phase]);
    options.onProgress?.(progress);
  };
  return job.record(async () => {
    const report = await run({ ...options, onProgress });
    return { report, warnings: report.warnings.length, failures: report.failuresTotal };
  });
}
