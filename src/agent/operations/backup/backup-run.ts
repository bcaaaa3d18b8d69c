import type { Failure } from '../../../base/errors/failure.ts';
import type { BackupProgress, RunOptions } from '../../../jobs/progress.ts';

/** `onJob` is called for the job of each destination, in their order. */
export interface BackupRun extends RunOptions<BackupProgress> {
  /** Called besides `onProgress` if there are several destinations. @param destination its id */
  readonly onProgressAt?: (destination: string, progress: BackupProgress) => void;
  /** Called when a destination is done, if there are several. @param failure the reason, if it failed */
  readonly onEndAt?: (destination: string, failure: Failure | undefined) => void;
}
