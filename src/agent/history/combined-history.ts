import type { LastRun } from '../../model/run.ts';
import { outcomeOfRun } from './run-jobs.ts';
import type { SetHistory } from './set-history.ts';

/** The newest run and restore point of a set, whatever the destination. */
export type CombinedHistory = Pick<SetHistory, 'lastBackup' | 'lastDrill' | 'lastPoint' | 'isResumable'>;

/** @param histories those of the set at each destination */
export function combinedHistory(histories: readonly SetHistory[]): CombinedHistory {
  const points = histories.flatMap(({ lastPoint }) => lastPoint ?? []);
  return {
    lastBackup: combinedRun(histories.flatMap(({ lastBackup }) => lastBackup ?? [])),
    lastDrill: histories
      .flatMap(({ lastDrill }) => (lastDrill?.compared ? [lastDrill] : []))
      .toSorted((a, b) => b.endedAt - a.endedAt)[0],
    lastPoint: points.toSorted((a, b) => b.at - a.at)[0],
    isResumable: histories.some(({ isResumable }) => isResumable),
  };
}

/** Combines those backups that belong to the newest run: each is the newest at its destination. */
function combinedRun(backups: readonly LastRun[]): LastRun | undefined {
  const begun = Math.max(...backups.map(({ startedAt }) => startedAt));
  const jobs = backups.filter(({ endedAt }) => endedAt >= begun).toSorted((a, b) => a.id - b.id);
  const [first, ...others] = jobs;
  if (!first || others.length === 0) return first;
  const failure = jobs.find((job) => job.failure)?.failure;
  return {
    id: first.id,
    kind: first.kind,
    outcome: outcomeOfRun(jobs.map(({ outcome }) => outcome)),
    startedAt: Math.min(...jobs.map(({ startedAt }) => startedAt)),
    endedAt: Math.max(...jobs.map(({ endedAt }) => endedAt)),
    warnings: Math.max(...jobs.map(({ warnings }) => warnings)),
    ...(failure ? { failure } : {}),
  };
}
