import { z } from 'zod';
import { restoreRequest, restoreSource, type RestoreRequest, type RestoreSource } from '../model/restore-request.ts';

const verifyRequest = z.object({
  source: restoreSource,
  /** Percent of the chunks to download and open, chosen at random; 100 is all. */
  samplePercent: z.number(),
  /**
   * What is checked beside the restore point of the source: with `another`, one earlier restore point chosen at random; with `all`, every
   * other one. Nothing by default.
   */
  beside: z.enum(['another', 'all']).optional(),
});
export type VerifyRequest = Readonly<z.infer<typeof verifyRequest>>;

/** A restore of a sample to a temporary folder. */
export interface DrillRequest {
  readonly source: RestoreSource;
}

/** An archive of files. */
export interface ExportJobRequest {
  readonly source: RestoreSource;
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
  | VerifyRequest
  | DrillRequest
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
