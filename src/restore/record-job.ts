import type { NewJob } from '../jobs/job-record.ts';
import type { RestoreProgress, RunOptions } from '../jobs/progress.ts';
import { RecordedJob } from '../jobs/recorded-job.ts';
import type { DrillReport, RestoreDependencies, RestoreReport, VerifyReport } from './types.ts';

/** Runs a restore or a verification and records its progress and outcome in the journal. */
export function recordJob<Report extends RestoreReport | VerifyReport | DrillReport>(
  newJob: Omit<NewJob, 'destination'>,
  deps: Pick<RestoreDependencies, 'catalog' | 'clock'>,
  options: RunOptions<RestoreProgress>,
  run: (options: RunOptions<RestoreProgress>) => Promise<Report>,
): Promise<Report> {
  const { journal, destination } = deps.catalog;
  const job = new RecordedJob(journal, deps.clock, { ...newJob, destination }, options);
  const onProgress = (progress: RestoreProgress): void => {
    job.update(progress);
    options.onProgress?.(progress);
  };
  return job.record(async () => {
    const report = await run({ ...options, onProgress });
    return { report, warnings: report.warnings.length, failures: report.failuresTotal };
  });
}
