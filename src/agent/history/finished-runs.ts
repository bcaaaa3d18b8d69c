import { sumOf } from '../../base/left-out.ts';
import type { BackupReport } from '../../archive/backup/types.ts';
import { shownRestoreRequest } from '../../jobs/job-request.ts';
import type { JobState } from '../../jobs/job-state.ts';
import type { JobRecord, JobError } from '../../jobs/job-record.ts';
import type { DrillReport, RestoreReport, VerifyReport } from '../../restore/types.ts';
import type { UndoReport } from '../../restore/undo/undo-report.ts';
import type { MountReport } from '../../mount/mount-report.ts';
import type { CopyFailure, CopyReport } from '../../copy/types.ts';
import type { ListedRun } from '../../ipc/contract/activity.ts';
import type { Failure } from '../../base/errors/failure.ts';
import type { CheckReport, PointName } from '../../repository/check/report.ts';
import type { RepairReport } from '../../repository/repair/repair-repository.ts';
import type { CheckResult } from '../../ipc/contract/restore/check.ts';
import type { DrillResult, RunReport } from '../../ipc/contract/restore/restore.ts';
import { undoOutcomeOf } from './undo-outcome.ts';
import { trigger as triggers, type Outcome } from '../../model/run.ts';

type StoredReport = Partial<BackupReport> &
  Omit<Partial<RestoreReport>, 'notes'> &
  Partial<VerifyReport> &
  Partial<DrillReport> &
  Partial<CheckReport> &
  Partial<RepairReport> &
  Partial<Pick<CopyReport, 'pointsCopied' | 'pointsSkipped'>> &
  Partial<UndoReport> &
  Partial<MountReport> &
  Partial<JobError>;

/** The number of warnings and failures sent to the window. The totals count all. */
const NAMED = 10_000;
/** The number of damaged files and of losses sent to the window, which asks for each loss whether the file exists. */
const NAMED_LOSSES = 1_000;

/** Returns the outcome of a finished job. A job still marked as active was killed with its process. */
export function outcomeOf(state: JobState): Outcome {
  switch (state) {
    case 'succeeded':
      return 'succeeded';
    case 'succeeded-with-warnings':
      return 'warnings';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'interrupted';
  }
}

/** Returns the job states with this outcome. */
export function statesOf(outcome: Outcome): readonly JobState[] {
  const states: Readonly<Record<Outcome, readonly JobState[]>> = {
    succeeded: ['succeeded'],
    warnings: ['succeeded-with-warnings'],
    failed: ['failed'],
    cancelled: ['cancelled'],
    interrupted: ['interrupted'],
  };
  return states[outcome];
}

/** Converts a job for lists of runs. */
export function listedRunOf(job: JobRecord): ListedRun {
  const report = reportIn(job);
  const failure = failureIn(report);
  const trigger = triggers.safeParse(job.trigger);
  return {
    id: job.id,
    set: job.backupSet,
    destination: job.destination,
    kind: job.kind,
    outcome: outcomeOf(job.state),
    startedAt: job.startedAt,
    endedAt: job.endedAt ?? job.startedAt,
    warnings: report ? warningsOf(job.kind, report) : 0,
    ...(trigger.success ? { trigger: trigger.data } : {}),
    ...restoredIn(job),
    ...(failure ? { failure } : {}),
  };
}

function warningsOf(kind: JobRecord['kind'], report: StoredReport): number {
  const warnings = report.warnings && Math.max(report.warnings.length, report.attributesNotRestored ?? 0);
  if (kind === 'export') return (warnings ?? 0) + (report.failuresTotal ?? 0);
  return warnings ?? report.after?.lostFiles ?? report.notUndoneTotal ?? report.errors ?? leftOutOf(report).length;
}

function restoredIn(job: JobRecord): Pick<ListedRun, 'restored'> {
  const request = shownRestoreRequest(job);
  if (!request) return {};
  const { paths, to } = request;
  const [path] = paths;
  return { restored: { ...(path === undefined ? {} : { path }), paths: paths.length, to } };
}

/** Converts the report of a job. Returns `undefined` before its end. */
export function runReportOf(job: JobRecord): RunReport | undefined {
  const report = reportIn(job);
  if (!report) return undefined;
  if (job.kind === 'copy' && report.pointsCopied !== undefined) return copyReportOf(job, copiedIn(job));
  const known = ofReading(job, report);
  const { warnings = [], failures = [], failuresTotal = failures.length, restorePoint } = report;
  const failure = failureIn(report);
  const restore = shownRestoreRequest(job);
  const checked = report.after ?? checkReportIn(report);
  return {
    files:
      known.files ?? report.filesProcessed ?? report.filesRestored ?? report.filesChecked ?? checked?.packs.files ?? 0,
    bytes:
      known.bytes ?? report.bytesChanged ?? bytesRestoredIn(report) ?? report.bytesChecked ?? checked?.packs.bytes ?? 0,
    ...(report.bytesScanned === undefined ? {} : { bytesInPoint: report.bytesScanned }),
    ...leftOutIn(report),
    ...(report.pointsChecked === undefined ? {} : { pointsChecked: report.pointsChecked }),
    bytesTransferred: report.bytesUploaded ?? report.bytesDownloaded ?? checked?.packsRead.bytes ?? 0,
    warnings: warnings.slice(0, NAMED).map(({ path, reason }) => ({ path, reason })),
    ...(job.kind === 'backup' ? notesIn(report) : {}),
    ...(warningsOf(job.kind, report) > NAMED ? { warningsTotal: warningsOf(job.kind, report) } : {}),
    ...(report.attributesLeftTotal === undefined ? {} : { attributesLeft: report.attributesLeftTotal }),
    failures: failures
      .slice(0, NAMED)
      .map(({ path, reason, detail }) => (detail === undefined ? { path, reason } : { path, reason, detail })),
    failuresTotal,
    filesFailed: report.filesDamaged ?? report.filesFailed ?? filesIn(failures) + failuresTotal - failures.length,
    ...(restorePoint === undefined ? {} : { restorePoint }),
    ...(report.filesSkipped === undefined ? {} : { filesSkipped: report.filesSkipped }),
    ...(report.filesUnchanged === undefined ? {} : { filesUnchanged: report.filesUnchanged }),
    ...(report.keptIn === undefined || report.keptIn.length === 0 ? {} : { keptIn: [...report.keptIn] }),
    ...(report.chunksNew === undefined ? {} : { chunksNew: report.chunksNew }),
    ...(report.chunksDeduped === undefined ? {} : { chunksDeduped: report.chunksDeduped }),
    ...(job.endedAt === null ? {} : { seconds: Math.max(0, job.endedAt - job.startedAt) / 1000 }),
    ...(restore ? { to: restore.to } : {}),
    ...(report.filesCompared === undefined ? {} : { drill: drillResultOf(report) }),
    ...known,
    ...(checked ? { check: checkResultOf(checked, report) } : {}),
    ...(failure ? { failure } : {}),
  };
}

/** What keeps nothing out of a backup, and is worth knowing. */
function notesIn({ notes = [] }: StoredReport): Pick<RunReport, 'notes'> {
  return notes.length === 0 ? {} : { notes: notes.slice(0, NAMED).map(({ path, reason }) => ({ path, reason })) };
}

/** What the rules of a set have left out of a backup; nothing if that is no file. */
function leftOutIn({ leftOut = [] }: StoredReport): Pick<RunReport, 'leftOut'> {
  const sum = sumOf(leftOut);
  return sum.files === 0 && !sum.isAtLeast ? {} : { leftOut: sum };
}

/** The bytes of `filesRestored`, those from before an interruption included. */
function bytesRestoredIn({ bytesWritten, bytesResumed = 0 }: StoredReport): number | undefined {
  return bytesWritten === undefined ? undefined : bytesWritten + bytesResumed;
}

/** What an undo, an export and a mount report. The files of an undo are what it has put back. */
function ofReading(
  job: JobRecord,
  report: StoredReport,
): Partial<Pick<RunReport, 'files' | 'bytes' | 'undo' | 'file' | 'mount'>> {
  const { putBack, movedAside = 0, movedTo = [], notUndone = [], notUndoneTotal = 0, mountpoint, errors = 0 } = report;
  switch (job.kind) {
    case 'undo':
      if (putBack === undefined) return {};
      return { files: putBack, undo: undoOutcomeOf({ putBack, movedAside, movedTo, notUndone, notUndoneTotal }) };
    case 'export': {
      const { files, bytes } = JSON.parse(job.report ?? '{}') as { files?: number; bytes?: number };
      const { file } = JSON.parse(job.request ?? '{}') as { file?: string | null };
      if (files === undefined || bytes === undefined) return {};
      return { files, bytes, ...(typeof file === 'string' ? { file } : {}) };
    }
    case 'mount':
      return mountpoint === undefined ? {} : { mount: { folder: mountpoint, errors } };
    default:
      return {};
  }
}

function filesIn(failures: readonly { readonly path: string }[]): number {
  return new Set(failures.map(({ path }) => path)).size;
}

function drillResultOf(report: StoredReport): DrillResult {
  const {
    filesCompared = 0,
    filesSameOnDisk = 0,
    newestFiles = 0,
    pointFiles = 0,
    pointBytes = 0,
    digest = '',
  } = report;
  return { filesCompared, filesSameOnDisk, newestFiles, pointFiles, pointBytes, digest };
}

function copiedIn({ report }: JobRecord): Partial<CopyReport> {
  return JSON.parse(report ?? '{}') as Partial<CopyReport>;
}

/** Converts the report of a copy, whose files are restore points. */
function copyReportOf(job: JobRecord, report: Partial<CopyReport>): RunReport {
  const failures: readonly CopyFailure[] = report.failures ?? [];
  return {
    files: report.pointsCopied ?? 0,
    bytes: report.bytesCopied ?? 0,
    bytesTransferred: report.bytesCopied ?? 0,
    warnings: leftOutOf(report).slice(0, NAMED),
    failures: failures.slice(0, NAMED).map(({ set, restorePoint, path, reason }) => ({
      path: [`${set}, ${restorePoint}`, ...(path === undefined ? [] : [path])].join(': '),
      reason,
    })),
    failuresTotal: failures.length,
    filesFailed: failures.length,
    ...(job.endedAt === null ? {} : { seconds: Math.max(0, job.endedAt - job.startedAt) / 1000 }),
  };
}

/** Restore points that a copy could not add. */
function leftOutOf({
  pointsSkipped = [],
}: Pick<Partial<CopyReport>, 'pointsSkipped'>): { path: string; reason: string }[] {
  return pointsSkipped
    .filter(({ reason }) => reason !== 'present')
    .map(({ set, restorePoint, reason }) => ({ path: `${set}, ${restorePoint}`, reason: `copy-${reason}` }));
}

/** Returns the report of a check; `undefined` for other jobs. */
function checkReportIn(report: StoredReport): CheckReport | undefined {
  return report.findings && report.losses ? (report as CheckReport) : undefined;
}

/** The caller finds out which files still exist. */
function checkResultOf(checked: CheckReport, { before, files, recoveredPoints, ...report }: StoredReport): CheckResult {
  const { findings, findingsTotal, losses, lossesTotal, lostFiles, points } = checked;
  return {
    restorePoints: points,
    findings: findings
      .slice(0, NAMED_LOSSES)
      .map(({ file, problem, isMendable }) => (isMendable ? { file, problem, isMendable } : { file, problem })),
    findingsTotal,
    losses: losses.slice(0, NAMED_LOSSES).map(({ device, deviceName, set, time, path, entries, version }) => ({
      device,
      deviceName,
      set,
      restorePoint: time,
      path,
      entries,
      isHere: false,
      isOtherHere: false,
      version,
    })),
    lossesTotal,
    lostFiles,
    isListSound: checked.isProjectionSound,
    isStoredOnce: checked.inOnePack.blobs > 0,
    ...(before && {
      repair: {
        // An earlier check that read more may have found what this one did not read.
        found: Math.max(before.findingsTotal, files?.length ?? 0),
        moved: (files ?? []).filter(({ outcome }) => outcome === 'moved').length,
        mended: (files ?? []).filter(({ outcome }) => outcome === 'mended').length,
        shown: (files ?? []).filter(({ outcome }) => outcome === 'shown').length,
        recovered: (recoveredPoints ?? []).map(pointOf),
        lost: (report.lostPoints ?? []).map(pointOf),
        mayIncludeRemoved: report.mayIncludeRemoved === true,
      },
    }),
  };
}

function pointOf({ device, deviceName, set, time }: PointName): Omit<PointName, 'time'> & { restorePoint: string } {
  return { device, deviceName, set, restorePoint: time };
}

/** Parses the report of a job of any kind. Returns `undefined` if there is none or it is unreadable. */
export function reportIn({ report }: Pick<JobRecord, 'report'>): StoredReport | undefined {
  if (report === null) return undefined;
  try {
    return JSON.parse(report) as StoredReport;
  } catch {
    return undefined;
  }
}

/** A restore with failed files has no error of its own. */
function failureIn(report: StoredReport | undefined): Failure | undefined {
  if (!report) return undefined;
  const code = report.error ?? report.stoppedBy;
  // The outcome already states an interruption.
  if (code === undefined || code === 'interrupted') return undefined;
  return { code: code === 'bug' ? 'internal' : code, details: report.details ?? {} } as Failure;
}
