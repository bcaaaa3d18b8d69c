import { z } from 'zod';

/** A device's backup set as it stood at a time. */
const restoreSource = z.object({
  deviceId: z.string(),
  backupSet: z.string(),
  /** Milliseconds since the epoch, or the newest restore point. */
  at: z.union([z.number(), z.literal('latest')]),
});
export type RestoreSource = Readonly<z.infer<typeof restoreSource>>;

const conflictChoice = z.enum(['skip', 'overwrite', 'keep-both']);
export type ConflictChoice = z.infer<typeof conflictChoice>;

/** Choices of their own at most: the others follow a folder or the choice for all. */
export const MAX_CHOICES = 10_000;

const pathChoice = z.object({
  /** Entry path of a file, or of a folder with everything in it. */
  path: z.string(),
  choice: conflictChoice,
});
/** What happens to existing files at one path; the deepest path decides. */
export type PathChoice = Readonly<z.infer<typeof pathChoice>>;

const restoreRequest = z.object({
  source: restoreSource,
  /** The id of the destination that is read. The nearest with the restore point by default. */
  destination: z.string().optional(),
  /** Entry paths of files or folders; an empty list means every root of the set. */
  paths: z.array(z.string()).readonly(),
  /** Entry paths that are left out with everything below them; a path of `paths` inside one of them is restored. */
  without: z.array(z.string()).readonly().optional(),
  /**
   * An absolute path of this operating system: each root (or path) P goes to DIR/<P's own name>. `null` puts each back where it
   * was; what exists there with other content is moved to a folder beside it before it is replaced.
   */
  to: z.string().nullable(),
  /** Without it, a restore that would overwrite anything throws `target_conflict` before it writes. */
  conflict: conflictChoice.optional(),
  /** Exceptions from `conflict`. Not with `exact`. */
  choices: z.array(pathChoice).max(MAX_CHOICES).readonly().optional(),
  /** With `to: null`: moves what did not exist at that time to a folder beside. Replaces what has changed. */
  exact: z.boolean().optional(),
  /** Restores what the service lists if no tree can be read that proves it. Nothing that exists is replaced then. */
  acceptUnverified: z.boolean().optional(),
});
/** A restore, with every name resolved. */
export type RestoreRequest = Readonly<z.infer<typeof restoreRequest>>;

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
