/** Why a run uses low CPU priority. */
export type LowPriorityReason = 'asked' | 'on-battery' | 'person-active';

/** How far a run is. Every number counts from the run's start and never goes back. */
export interface BackupProgress {
  readonly kind: 'backup';
  readonly phase: 'scanning' | 'uploading' | 'committing';
  readonly filesScanned: number;
  readonly bytesScanned: number;
  /** Chunks that the service asked for; 0 until init has answered. */
  readonly chunksTotal: number;
  readonly chunksUploaded: number;
  /** Plaintext bytes of the chunks asked for; 0 until init has answered. */
  readonly bytesTotal: number;
  readonly bytesUploaded: number;
  readonly currentPath: string | undefined;
  /** Nothing where no honest figure can be given yet. */
  readonly etaSeconds: number | undefined;
  /** Why nothing moves just now, for instance an unreachable service. */
  readonly waiting: string | undefined;
  /** Why the run leaves the processor to others just now, where it does. */
  readonly lowPriority?: LowPriorityReason;
}

export interface RestoreProgress {
  readonly kind: 'restore' | 'verify';
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
   * its reason the journal calls the run cancelled.
   */
  readonly signal?: AbortSignal;
  /** Why the run began, a word of whoever asks for it; it stands in the journal. */
  readonly trigger?: string;
  /** The job of this run, if it is in the journal already; otherwise the run adds one. */
  readonly job?: number;
  /** Called with the job's id before any of its work. Dry runs have no job. */
  readonly onJob?: (id: number) => void;
  /**
   * What a killed run would need to go on is kept until the caller disposes of this: when the person knows how the run
   * ended. Without it, until the journal knows.
   */
  readonly untilTold?: DisposableStack;
  /** An error in the words that fit where the service is; those stand in the journal. */
  readonly explain?: (error: unknown) => unknown;
  /** Called at most ten times a second, and once at the end of each phase. */
  readonly onProgress?: (progress: Shape) => void;
}
