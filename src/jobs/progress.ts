/** Why a run uses low CPU priority. */
export type LowPriorityReason = 'asked' | 'on-battery' | 'person-active';

/** Progress of a backup. Every number counts from the start of the run and never decreases. */
export interface BackupProgress {
  readonly kind: 'backup';
  readonly phase: 'scanning' | 'uploading' | 'committing';
  readonly filesScanned: number;
  readonly bytesScanned: number;
  /** Chunks that the service lacks; 0 until it has responded to init. */
  readonly chunksTotal: number;
  readonly chunksUploaded: number;
  /** Plaintext bytes of these chunks; 0 until then. */
  readonly bytesTotal: number;
  readonly bytesUploaded: number;
  readonly currentPath: string | undefined;
  /** `undefined` until it can be estimated. */
  readonly etaSeconds: number | undefined;
  /** Why the run is waiting, for instance for an unreachable service. */
  readonly waiting: string | undefined;
  /** Why the run has a low CPU priority, if it has. */
  readonly lowPriority?: LowPriorityReason;
}

/** Progress of a restore or a verification; or of a check or a repair of a destination, whose files are those of the repository. */
export interface RestoreProgress {
  readonly kind: 'restore' | 'undo' | 'export' | 'verify' | 'drill' | 'check' | 'repair';
  readonly phase: 'planning' | 'downloading' | 'finishing';
  readonly filesTotal: number;
  readonly filesDone: number;
  readonly bytesTotal: number;
  readonly bytesDone: number;
  readonly bytesDownloaded: number;
  readonly currentPath: string | undefined;
  readonly etaSeconds: number | undefined;
  readonly waiting: string | undefined;
}

export type Progress = BackupProgress | RestoreProgress;

export interface RunOptions<Shape extends Progress> {
  /**
   * Aborting it ends the run after the chunks in flight; the run rejects with `interrupted`. With `STOPPED_BY_PERSON` as
   * its reason, the run is recorded as cancelled.
   */
  readonly signal?: AbortSignal;
  /** Why the run began, as the caller calls it; recorded in the journal. */
  readonly trigger?: string;
  /** The job of this run, if it is in the journal already; otherwise the run adds one. */
  readonly job?: number;
  /** Called with the job's id before any of its work. Dry runs have no job. */
  readonly onJob?: (id: number) => void;
  /**
   * The data for continuing after a kill are deleted when the caller disposes of this, after the person has seen the
   * outcome. Without it, they are deleted when the outcome is recorded.
   */
  readonly untilReported?: DisposableStack;
  /** Replaces an error by one that fits the kind of destination; recorded in the journal. */
  readonly explain?: (error: unknown) => unknown;
  /** Called at most ten times per second, and once at the end of each phase. */
  readonly onProgress?: (progress: Shape) => void;
}
