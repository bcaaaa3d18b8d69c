import type { Failure } from '../../../base/errors/failure.ts';
import type { CheckRequest } from '../../../jobs/job-request.ts';
import type { BackupProgress, Progress } from '../../../jobs/progress.ts';
import type { ExportReport } from '../../../restore/export/export-point.ts';
import type { DrillReport, RestoreReport, VerifyReport } from '../../../restore/types.ts';
import type { UndoReport } from '../../../restore/undo/undo-report.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { BackupOptions } from '../../operations/backup/backup.ts';
import type { BackupResult } from '../../operations/backup/backup-result.ts';
import type { CheckReport, RepairReport } from '../../operations/check.ts';
import type { DrillOptions } from '../../operations/drill/drill.ts';
import type { ExportOptions } from '../../operations/export/export.ts';
import type { RestoreOptions } from '../../operations/restore/restore-request.ts';
import type { FreeChoice, FreePlan, FreeReport } from '../../operations/free.ts';
import type { VerifyOptions } from '../../operations/verify.ts';

/** Current limits in bytes per second. A direction that is missing is never limited during the run. */
export interface CurrentLimits {
  readonly limitUpload?: { readonly now: number | undefined };
  readonly limitDownload?: { readonly now: number | undefined };
}

/** The run that a thread is started for. */
export type RunOrder =
  | { readonly kind: 'backup'; readonly set: string; readonly options: Omit<BackupOptions, keyof TransferLimits> }
  | { readonly kind: 'restore'; readonly options: Omit<RestoreOptions, keyof TransferLimits> }
  | { readonly kind: 'verify'; readonly options: Omit<VerifyOptions, keyof TransferLimits> }
  | { readonly kind: 'drill'; readonly options: Omit<DrillOptions, keyof TransferLimits> }
  | { readonly kind: 'check' | 'repair'; readonly request: CheckRequest }
  | { readonly kind: 'export'; readonly options: FileExport }
  | { readonly kind: 'undo' }
  | { readonly kind: 'space' }
  | { readonly kind: 'free'; readonly choice: FreeChoice };

/** An export to a file: a stream cannot be passed to a thread. */
export type FileExport = ExportOptions & { readonly to: string };

/** The data that the thread is started with. */
export interface RunThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The id of the destination. The first by default. */
  readonly destination: string | undefined;
}

export type RunOutcome =
  | BackupResult
  | RestoreReport
  | VerifyReport
  | DrillReport
  | CheckReport
  | RepairReport
  | ExportReport
  | UndoReport
  | FreePlan
  | FreeReport;

/** The calls of a run's thread. */
export interface RunThreadCalls {
  /** Performs the run; the thread ends after it. */
  run(input: {
    readonly order: RunOrder;
    readonly limits: CurrentLimits;
    readonly trigger: string | undefined;
    readonly job: number | undefined;
  }): RunOutcome;
  setLimits(limits: CurrentLimits): void;
}

export interface RunThreadEvents {
  /** The job of each destination. */
  readonly job: number;
  readonly progress: Progress;
  /** Of a backup to several destinations, in addition. */
  readonly progressAt: { readonly destination: string; readonly progress: BackupProgress };
  /** A destination of such a backup is done. */
  readonly endedAt: { readonly destination: string; readonly failure: Failure | undefined };
  /** The difference between the service's clock and ours, in milliseconds; 0 when ours is right enough. */
  readonly skew: number;
}
