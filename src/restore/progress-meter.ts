import type { Clock } from '../base/clock.ts';
import type { RestoreProgress, RunOptions } from '../jobs/progress.ts';
import { TimeLeft } from '../jobs/time-left.ts';
import type { BlobDownloader, ReadSource } from '../remote/ports.ts';
import { KIB } from '../model/units.ts';

const REPORT_INTERVAL_MS = 100;
/** A file's share of the work beside its bytes: a tree of empty files takes time too. */
const FILE_WORTH_BYTES = 16 * KIB;

/** The progress of a restore or a verification that has not begun. */
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

/** Counts what a restore or a verification has done and reports it at most ten times per second. */
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

  /** Enters the download phase. What is done already does not count for the speed. */
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

  /** Reports the final state, regardless of the interval. */
  end(): void {
    this.#report(true);
  }

  #report(now: boolean): void {
    if (!this.#onProgress) return;
    const at = this.#clock.now();
    if (!now && at - this.#lastReport < REPORT_INTERVAL_MS) return;
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

/** What a report says about the destinations that were read, if not only the first. */
export function readSources({ several }: BlobDownloader): { readonly sources?: readonly ReadSource[] } {
  return several && several.read.length > 0 ? { sources: several.read } : {};
}

/** Counts the sealed bytes that a downloader delivers. */
export function countDownloads(downloader: BlobDownloader, meter: ProgressMeter): BlobDownloader {
  return {
    get concurrency() {
      return downloader.concurrency;
    },
    ...(downloader.several && { several: downloader.several }),
    expect: (isExpected) => downloader.expect?.(isExpected),
    download: (session, hashes, onBlob, signal, arena) => {
      const counted: typeof onBlob = (hash, bytes) => {
        if (bytes) meter.downloaded(bytes.length);
        return onBlob(hash, bytes);
      };
      return downloader.download(session, hashes, counted, signal, arena);
    },
  };
}
