import { restoreRequest, type RestoreRequest, type RestoreSource, type RestoreTime } from '../model/restore-request.ts';

/** The restore point of a job, in the words of a restore request. */
export interface RequestedPoint {
  readonly set: string;
  /** The id of the device at the destination of the job. */
  readonly device: string;
  readonly at: RestoreTime;
}

export function requestedPoint({ backupSet: set, deviceId: device, at }: RestoreSource): RequestedPoint {
  return { set, device, at };
}

/** The extent of a verification. */
export interface VerifyExtent {
  /** Percent of the chunks to download and open, chosen at random; 100 is all. */
  readonly samplePercent: number;
  /**
   * What is checked beside the restore point: with `another`, one earlier restore point chosen at random; with `all`, every other one. Nothing by
   * default.
   */
  readonly beside?: 'another' | 'all' | undefined;
}

/** An archive of files. */
export interface ExportJobRequest extends RequestedPoint {
  /** Entry paths; an empty list means everything. */
  readonly paths: readonly string[];
  /** Absolute path of the archive; `null` for a stream. */
  readonly file: string | null;
}

/** Restore points as a file system. */
export interface MountJobRequest {
  /** Absolute path. */
  readonly mountpoint: string;
}

/** A check or a repair of a destination. */
export interface CheckRequest {
  /** The share of packs that are read completely, chosen at random; `undefined` for none. */
  readonly percent?: number | undefined;
  /** Of a repair: brings back also restore points that nothing but an earlier key proves. */
  readonly takesUnproven?: boolean | undefined;
}

/** A copy of restore points between two destinations. */
export interface CopyJobRequest {
  /** Id of the destination that is read. */
  readonly from: string;
  /** Names of sets. */
  readonly sets?: readonly string[] | undefined;
  readonly latest: boolean;
}

/** A journal holds the requests of all jobs but backups, which are described by their set. */
export type JobRequest =
  | RestoreRequest
  | ExportJobRequest
  | MountJobRequest
  | (RequestedPoint & VerifyExtent)
  /** A restore of a sample to a temporary folder. */
  | RequestedPoint
  | CheckRequest
  | CopyJobRequest;

/** Returns the request of a restore, or `undefined` for other kinds of jobs. */
export function restoreRequestOf(job: {
  readonly kind: string;
  readonly request: string | null;
}): RestoreRequest | undefined {
  return job.kind === 'restore' && job.request !== null ? restoreRequest.parse(JSON.parse(job.request)) : undefined;
}

/** Returns the request of a restore for a list: `undefined` for other kinds of jobs, and for a damaged row. */
export function shownRestoreRequest(job: Parameters<typeof restoreRequestOf>[0]): RestoreRequest | undefined {
  try {
    return restoreRequestOf(job);
  } catch {
    return undefined;
  }
}
