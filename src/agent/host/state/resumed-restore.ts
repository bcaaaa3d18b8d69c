import type { Journal } from '../../../jobs/journal.ts';
import type { Preferences } from '../../../ipc/contract/preferences.ts';
import type { ResumedRestore } from '../../../ipc/state.ts';
import { listedRunOf, runReportOf } from '../../history/finished-runs.ts';
import { DAY } from '../../../model/units.ts';

/** As long as a restore can be undone. */
const SHOWN_MS = 7 * DAY;

/** Returns the newest restore that ended, if it had gone on by itself after an interruption: nobody watched it end. */
export function resumedRestoreOf(journal: Pick<Journal, 'list'>): ResumedRestore | undefined {
  const [job] = journal.list({ kind: 'restore' }, 1);
  if (!job || job.trigger !== 'resume') return undefined;
  const { outcome, endedAt, set } = listedRunOf(job);
  if (outcome === 'interrupted' || outcome === 'cancelled') return undefined;
  const { files = 0, bytes = 0, filesFailed = 0, to = null } = runReportOf(job) ?? {};
  return { run: job.id, set, outcome, endedAt, files, bytes, filesFailed, to };
}

/** Returns whether Home still shows the result. */
export function isResultNews(
  { run, endedAt }: ResumedRestore,
  now: number,
  { dismissedRestore }: Pick<Preferences, 'dismissedRestore'>,
): boolean {
  return run !== dismissedRestore && endedAt >= now - SHOWN_MS;
}
