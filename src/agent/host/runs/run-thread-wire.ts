import type { BackupReport } from '../../../engine/backup/types.ts';
import type { Failure } from '../../../base/failure.ts';
import type { Progress } from '../../../engine/job/progress.ts';
import type { RestoreReport, VerifyReport } from '../../../engine/restore/types.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { BackupOptions } from '../../operations/backup.ts';
import type { RestoreOptions } from '../../operations/restore.ts';
import type { VerifyOptions } from '../../operations/verify.ts';

/** Bytes a second, as they are just now; a direction that is not named is never limited in this run. */
export interface CurrentLimits {
  readonly limitUpload?: { readonly now: number | undefined };
  readonly limitDownload?: { readonly now: number | undefined };
}

/** What a thread is started for. */
export type RunOrder =
  | { readonly kind: 'backup'; readonly set: string; readonly options: Omit<BackupOptions, keyof TransferLimits> }
  | { readonly kind: 'restore'; readonly options: Omit<RestoreOptions, keyof TransferLimits> }
  | { readonly kind: 'verify'; readonly options: Omit<VerifyOptions, keyof TransferLimits> };

export interface RunThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly order: RunOrder;
  readonly limits: CurrentLimits;
  readonly trigger: string | undefined;
}

export type ToRunThread =
  | { readonly kind: 'abort'; readonly reason: unknown }
  | { readonly kind: 'limits'; readonly limits: CurrentLimits };

export type RunOutcome = BackupReport | RestoreReport | VerifyReport;

export type FromRunThread =
  | { readonly kind: 'job'; readonly id: number }
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The service's clock against ours, in milliseconds; 0 where ours is right enough. */
  | { readonly kind: 'skew'; readonly skewMs: number }
  | { readonly kind: 'done'; readonly report: RunOutcome }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'broken'; readonly error: unknown };
