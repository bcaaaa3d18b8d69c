import type { Clock } from '../../base/clock.ts';
import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import { TimeLeft } from '../job/time-left.ts';

const REPORT_EVERY_MS = 100;
/** Files count as work too: a tree of empty ones takes its time. */
const FILE_WORTH_BYTES = 16 * 1024;

/** How far a restore or a verification is before it has done anything. */
export function initialProgress(kind: RestoreProgress['kind']): RestoreProgress {
  return {
    kind,
    phase: 'planning',
    filesTotal: 0,
    filesDone: 0,
    bytesTotal: 0,
    bytesDone: 0,
    bytesDownloaded: 0,
    currentPath: undefined,
    etaSeconds: undefined,
    waiting: undefined,
  };
}

/** Counts what a restore or a verification has done and tells it at most ten times a second. */
export class ProgressMeter {
  readonly #clock: Clock;
  readonly #onProgress: RunOptions<RestoreProgress>['onProgress'];
  readonly #timeLeft = new TimeLeft();
  #lastReport = 0;
  #state: RestoreProgress;

  constructor(kind: RestoreProgress['kind'], clock: Clock, onProgress: RunOptions<RestoreProgress>['onProgress']) {
    this.#clock = clock;
    this.#onProgress = onProgress;
    this.#state = initialProgress(kind);
  }

  get state(): RestoreProgress {
    return this.#state;
  }

  /** What is done already counts as done, not as speed. */
  begin(totals: Pick<RestoreProgress, 'filesTotal' | 'bytesTotal' | 'filesDone' | 'bytesDone'>): void {
    this.#state = { ...this.#state, ...totals };
    this.enter('downloading');
  }

  enter(phase: RestoreProgress['phase']): void {
    this.#state = { ...this.#state, phase };
    this.#report(true);
  }

  downloaded(bytes: number): void {
    this.#state = { ...this.#state, bytesDownloaded: this.#state.bytesDownloaded + bytes };
    this.#report(false);
  }

  done(files: number, bytes: number, currentPath: string): void {
    const { filesDone, bytesDone } = this.#state;
    this.#state = { ...this.#state, filesDone: filesDone + files, bytesDone: bytesDone + bytes, currentPath };
    this.#report(false);
  }

  /** The last report, whenever the one before was. */
  end(): void {
    this.#report(true);
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
    const { phase, filesDone, filesTotal, bytesDone, bytesTotal } = this.#state;
    if (phase !== 'downloading') return undefined;
    const work = bytesDone + filesDone * FILE_WORTH_BYTES;
    return this.#timeLeft.seconds(at, work, bytesTotal + filesTotal * FILE_WORTH_BYTES);
  }
}
