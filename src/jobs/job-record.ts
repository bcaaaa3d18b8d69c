import { isHoldfastError, type ErrorCode } from '../base/errors/errors.ts';
import type { Failure } from '../base/errors/failure.ts';
import type { RunKind } from '../model/run.ts';
import type { JobRequest } from './job-request.ts';
import type { JobState } from './job-state.ts';

export interface JobRecord {
  readonly id: number;
  readonly kind: RunKind;
  /** Empty for a check, a repair and a copy, which concern a destination, and for a mount of all sets. */
  readonly backupSet: string;
  /** The id of the destination. */
  readonly destination: string;
  readonly state: JobState;
  /** Milliseconds since the epoch, like `endedAt`; of a job that has not begun, the time of the request. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** JSON: the report of a job that ended, or the `JobError` of one that failed or is blocked. */
  readonly report: string | null;
  /** Why the job was started, as the caller calls it; `null` when it was started on the command line. */
  readonly trigger: string | null;
  /** JSON, see job-request.ts. */
  readonly request: string | null;
}

/** A restore that has not begun, or that continues one that was interrupted. */
export interface RestoreRecord extends JobRecord {
  /** The interrupted job that this one continues. */
  readonly resumes: number | null;
  /** Counts the continued jobs that ended with their process. */
  readonly kills: number;
  /** The mount point of the target's disk at the time of the request. */
  readonly targetVolume: string | null;
  /** The path that must exist before a waiting job can begin. */
  readonly waitsFor: string | null;
}

/** A job to be added. */
export interface NewJob {
  readonly kind: RunKind;
  readonly backupSet: string;
  /** The id of the destination. */
  readonly destination: string;
  readonly trigger?: string | undefined;
  readonly request?: JobRequest | undefined;
  readonly targetVolume?: string | undefined;
}

/** A job that ended, without its report. */
export interface JobEnd {
  readonly id: number;
  readonly backupSet: string;
  readonly destination: string;
  readonly state: JobState;
  /** Milliseconds since the epoch, like `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Progress of a job: files and bytes done since it began. */
export interface JobProgress {
  readonly filesDone: number;
  readonly bytesDone: number;
}

/** Sums over successful backups. */
export interface JournalTotals {
  /** The id of the newest; 0 if there is none. */
  readonly last: number;
  /** Bytes of their files. */
  readonly scanned: number;
  /** Bytes of the chunks that they sent, before compression. */
  readonly fresh: number;
  /** Bytes that they sent. */
  readonly uploaded: number;
  /** Oldest first. */
  readonly stored: readonly StoredAt[];
}

/** What a destination stored in total when a backup had ended, as it reported. */
export interface StoredAt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
}

/** The report of a job that ended with an error. */
export interface JobError {
  /** `bug` for an error without a code. */
  readonly error: ErrorCode | 'bug';
  readonly message: string;
  readonly details: Failure['details'];
}

export function jobErrorOf(error: unknown): JobError {
  const known = isHoldfastError(error) ? { error: error.code, details: error.details } : undefined;
  return { error: 'bug', details: {}, ...known, message: String(error) };
}

/** Selects the jobs that `list` returns; every condition given has to hold. */
export interface JobFilter {
  readonly backupSet?: string | undefined;
  readonly destination?: string | undefined;
  readonly kind?: RunKind | undefined;
  readonly states?: readonly JobState[] | undefined;
  /** Only jobs that began before the job with this id. */
  readonly before?: number | undefined;
}

export interface JobTransition {
  readonly state: JobState;
  readonly at: number;
  readonly reason: string | null;
}
