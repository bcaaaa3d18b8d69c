import type { Clock } from '../../base/clock.ts';
import type { BackupProgress, RunOptions } from '../job/progress.ts';
import { TimeLeft } from '../job/time-left.ts';

const REPORT_EVERY_MS = 100;

/** How far a backup is before it has done anything. */
export const BACKUP_BEGINS: BackupProgress = {
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
 * Counts what a run has done and tells it at most ten times a second. The ETA comes from the chunks that have to be
 * uploaded and the speed at which they go, so what dedup skips neither counts as work nor as speed.
 */
export class ProgressMeter {
  readonly #clock: Clock;
  readonly #onProgress: RunOptions<BackupProgress>['onProgress'];
  readonly #timeLeft = new TimeLeft();
  #lastReport = 0;
  #state = BACKUP_BEGINS;

  constructor(clock: Clock, onProgress: RunOptions<BackupProgress>['onProgress']) {
    this.#clock = clock;
    this.#onProgress = onProgress;
  }

  get state(): BackupProgress {
    return this.#state;
  }

  update(change: Partial<Omit<BackupProgress, 'kind' | 'etaSeconds'>>): void {
    const enters = change.phase !== undefined && change.phase !== this.#state.phase;
    this.#state = { ...this.#state, ...change };
    this.#report(enters);
  }

  uploaded(chunks: number, bytes: number, path: string): void {
    this.#state = {
      ...this.#state,
      chunksUploaded: this.#state.chunksUploaded + chunks,
      bytesUploaded: this.#state.bytesUploaded + bytes,
      currentPath: path,
    };
    this.#report(false);
  }

  #report(now: boolean): void {
    if (!this.#onProgress) return;
    const at = this.#clock.now();
    if (!now && at - this.#lastReport < REPORT_EVERY_MS) return;
    this.#lastReport = at;
    this.#state = { ...this.#state, etaSeconds: this.#eta(at) };
    this.#onProgress(this.#state);
  }

  #eta(at: number): number | undefined {
    if (this.#state.phase !== 'uploading') return undefined;
    return this.#timeLeft.seconds(at, this.#state.bytesUploaded, this.#state.bytesTotal);
  }
}
