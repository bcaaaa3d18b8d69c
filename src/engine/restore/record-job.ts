import type { JobState } from '../job/job-state.ts';
import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import type { JournalledRequest } from '../job/journal.ts';
import { RecordedJob } from '../job/recorded-job.ts';
import type { RestoreDependencies, RestoreReport, VerifyReport } from './types.ts';

/** What the phases are called in the journal, whose states are those of every job. */
const STATES: Readonly<Record<RestoreProgress['phase'], JobState>> = {
  planning: 'scanning',
  downloading: 'uploading',
  finishing: 'committing',
};

interface RecordedRun {
  readonly kind: 'restore' | 'verify';
  readonly backupSet: string;
  /** Where a restore goes to. */
  readonly target?: string;
  readonly request?: JournalledRequest;
}

/** Runs a restore or a verification and notes in the journal how far it gets and what comes of it. */
export function recordJob<Report extends RestoreReport | VerifyReport>(
  what: RecordedRun,
  deps: Pick<RestoreDependencies, 'catalog' | 'clock'>,
  options: RunOptions<RestoreProgress>,
  run: (options: RunOptions<RestoreProgress>) => Promise<Report>,
): Promise<Report> {
  const { kind, backupSet, ...asked } = what;
  const job = new RecordedJob(deps.catalog.journal, deps.clock, kind, backupSet, { ...options, ...asked });
  const onProgress = (progress: RestoreProgress): void => {
    job.step(STATES[progress.phase]);
    options.onProgress?.(progress);
  };
  return job.record(async () => {
    const report = await run({ ...options, onProgress });
    return { report, warnings: report.warnings.length, failures: report.failuresTotal };
  });
}
