import type { Clock } from '../../base/clock.ts';
import type { BackupProgress, RunOptions } from '../../jobs/progress.ts';
import { TimeLeft } from '../../jobs/time-left.ts';
import type { UploadObserver, UploadedBlobs } from './upload/upload-observer.ts';

const REPORT_EVERY_MS = 100;

/** Progress of a backup that has not done anything yet. */
export const INITIAL_BACKUP_PROGRESS: BackupProgress = {
  kind: 'backup',
  phase: 'scanning',
  filesScanned: 0,
  bytesScanned: 0,
  chunksTotal: 0,
  chunksUploaded: 0,
  bytesTotal: 0,
  bytesUploaded: 0,
  currentPath: undefined,
  etaSeconds: undefined,
  waiting: undefined,
};

/**
 * Counts a run's work and reports it at most ten times per second. The ETA is based on the chunks to upload and their
 * throughput, so deduplicated data counts neither as work nor as speed.
 */
export class ProgressMeter implements UploadObserver {
  readonly #clock: Clock;
  readonly #onProgress: RunOptions<BackupProgress>['onProgress'];
  readonly #timeLeft = new TimeLeft();
  #lastReport = 0;
  #state = INITIAL_BACKUP_PROGRESS;
  #blobBytes = 0;

  constructor(clock: Clock, onProgress: RunOptions<BackupProgress>['onProgress']) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  get state(): BackupProgress {
    return this.#state;
  }

  /** Sealed bytes of the chunks that were uploaded. */
  get blobBytes(): number {
    return this.#blobBytes;
  }

  update(change: Partial<Omit<BackupProgress, 'kind' | 'etaSeconds'>>): void {
    const entersPhase = change.phase !== undefined && change.phase !== this.#state.phase;
    this.#state = { ...this.#state, ...change };
    this.#report(entersPhase);
  }

  /** Adds chunks that the service requested to those that an early upload has sent. */
  enterUpload(needed: { readonly chunks: number; readonly bytes: number }): void {
    const { chunksUploaded, bytesUploaded } = this.#state;
    this.update({
      phase: 'uploading',
      chunksTotal: chunksUploaded + needed.chunks,
      bytesTotal: bytesUploaded + needed.bytes,
    });
  }

  onUploaded({ chunks, plaintextBytes, blobBytes, path }: UploadedBlobs): void {
    this.#blobBytes += blobBytes;
    this.#state = {
      ...this.#state,
      chunksUploaded: this.#state.chunksUploaded + chunks,
      bytesUploaded: this.#state.bytesUploaded + plaintextBytes,
      currentPath: path,
    };
    this.#report(false);
  }

  #report(immediately: boolean): void {
    if (!this.#onProgress) return;
    const at = this.#clock.now();
    if (!immediately && at - this.#lastReport < REPORT_EVERY_MS) return;
    this.#lastReport = at;
    this.#state = { ...this.#state, etaSeconds: this.#eta(at) };
    this.#onProgress(this.#state);
  }

  #eta(at: number): number | undefined {
    if (this.#state.phase !== 'uploading') return undefined;
    return this.#timeLeft.seconds(at, this.#state.bytesUploaded, this.#state.bytesTotal);
  }
}
