import type { BackupReport } from '../../archive/backup/types.ts';
import type { JobRecord } from '../../jobs/job-record.ts';
import { isAcceptable, foldersThatStopped } from '../../ipc/missed-folder.ts';
import { folderProblem, type FolderProblem } from '../../model/need.ts';
import { listedRunOf, reportIn } from './finished-runs.ts';

/** A folder that a backup did without. */
export interface AbsentFolder {
  /** An entry path. */
  readonly path: string;
  readonly problem: FolderProblem;
}

/** Prefix of the reasons of folders that a backup did without. */
const FOLDER = 'folder-';

export function isAboutAbsentFolder({ reason }: { readonly reason: string }): boolean {
  return reason.startsWith(FOLDER);
}

export function absentFoldersIn(report: Partial<Pick<BackupReport, 'warnings'>> | undefined): readonly AbsentFolder[] {
  return (report?.warnings ?? []).filter(isAboutAbsentFolder).flatMap(({ path, reason }) => {
    const problem = folderProblem.safeParse(reason.slice(FOLDER.length));
    return problem.success ? [{ path, problem: problem.data }] : [];
  });
}

/** Returns the entry paths of the folders that a backup refused to take as they were, and that a person can accept. */
export function missedFoldersOf(job: JobRecord): readonly string[] {
  const missed = absentFoldersIn(reportIn(job)).filter(({ problem }) => isAcceptable(problem));
  return [...missed.map(({ path }) => path), ...foldersThatStopped(listedRunOf(job).failure)];
}
