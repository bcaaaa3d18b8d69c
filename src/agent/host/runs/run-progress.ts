import { TimeLeft } from '../../../jobs/time-left.ts';
import type { Progress } from '../../../jobs/progress.ts';
import type { ActiveRun } from '../../../model/run.ts';
import type { JobProgress } from '../../../jobs/job-record.ts';
import type { RunRequest } from './run-request.ts';

/** The speed is averaged over this time, so that it is steady and still current. */
const SPEED_WINDOW_MS = 5000;
/** No speed is shown before. */
const MIN_SPEED_MS = 1000;

const NOTHING: JobProgress = { filesDone: 0, bytesDone: 0 };

type Counts = Pick<ActiveRun, 'filesDone' | 'filesTotal' | 'bytesDone' | 'bytesTotal'>;

/** The displayed progress of a run: the engine's, which never decreases here, with the current speed. */
export class RunProgress {
  readonly startedAt: number;
  readonly #request: RunRequest;
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];
  #id: number | undefined;
  #progress: Progress | undefined;
  #counts: Counts;
  #isStopping = false;
  #scan: ActiveRun['scan'];
  #scanSeconds: number | undefined;
  readonly #scanTime = new TimeLeft();
  readonly #reached: JobProgress;

  /** @param reached progress of the interrupted runs that this one continues: what they sent is not sent again */
  constructor(request: RunRequest, startedAt: number, reached: JobProgress = NOTHING) {
    this.#request = request;
    this.startedAt = startedAt;
    this.#reached = reached;
    this.#counts = reached;
  }

  /** The id of its job, once it has one. */
  get id(): number | undefined {
    return this.#id;
  }

  /** A run to several destinations has a job for each. The first is that of the run. */
  begin(id: number): void {
    this.#id ??= id;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  /** @param at milliseconds since the epoch */
  update(progress: Progress, at: number): void {
    this.#progress = progress;
    const next = countsOf(progress);
    const before = this.#counts;
    const { bytesDone: reached } = this.#reached;
    this.#counts = {
      ...next,
      // Files may have been deleted meanwhile.
      filesDone: Math.min(Math.max(before.filesDone, next.filesDone), next.filesTotal ?? Number.MAX_SAFE_INTEGER),
      bytesDone: Math.max(before.bytesDone, reached + next.bytesDone),
      ...(next.bytesTotal === undefined ? {} : { bytesTotal: reached + next.bytesTotal }),
    };
    this.#updateScan(progress, at);
    this.#samples.push({ at, bytes: movedBytes(progress) });
    this.#trimSamples(at);
  }

  /** Returns `undefined` until the run has a job. @param at milliseconds since the epoch */
  state(at: number): ActiveRun | undefined {
    if (this.#id === undefined) return undefined;
    const { kind, set, trigger, place } = this.#request;
    const progress = this.#progress;
    const { currentPath, waiting } = progress ?? {};
    const etaSeconds = progress?.etaSeconds ?? this.#scanSeconds;
    const lowPriority = progress?.kind === 'backup' ? progress.lowPriority : undefined;
    const isQuiet = this.#isStopping || waiting !== undefined;
    const bytesPerSecond = isQuiet ? undefined : this.#speed(at);
    return {
      id: this.#id,
      kind,
      set,
      trigger,
      startedAt: this.startedAt,
      phase: this.#isStopping ? 'stopping' : (progress?.phase ?? (kind === 'backup' ? 'scanning' : 'planning')),
      ...this.#counts,
      ...(this.#scan ? { scan: this.#scan } : {}),
      ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
      ...(currentPath === undefined ? {} : { currentPath }),
      ...(etaSeconds === undefined || isQuiet ? {} : { etaSeconds }),
      ...(waiting === undefined ? {} : { waiting }),
      ...(lowPriority === undefined ? {} : { lowPriority }),
      ...(place ? { destination: place } : {}),
    };
  }

  /** The share of a scan is that of the files that the newest restore point contains. */
  #updateScan(progress: Progress, at: number): void {
    const { expected } = this.#request;
    this.#scanSeconds = undefined;
    if (progress.kind !== 'backup' || progress.phase !== 'scanning' || !expected || expected.bytes === 0) {
      this.#scan = undefined;
      return;
    }
    const bytes = Math.max(this.#scan?.bytes ?? 0, progress.bytesScanned);
    this.#scan = { bytes, bytesExpected: expected.bytes, filesExpected: expected.files };
    if (bytes < expected.bytes) this.#scanSeconds = this.#scanTime.seconds(at, bytes, expected.bytes);
  }

  #speed(at: number): number | undefined {
    this.#trimSamples(at);
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || at - first.at < MIN_SPEED_MS) return undefined;
    return Math.round(((last.bytes - first.bytes) * 1000) / (at - first.at));
  }

  /** Keeps one sample from before the window, as the start of the average. */
  #trimSamples(at: number): void {
    while (this.#samples.length > 1 && at - this.#samples[1]!.at >= SPEED_WINDOW_MS) this.#samples.shift();
  }
}

/** The bytes of a backup are those to upload. The total is unknown while it scans. */
function countsOf(progress: Progress): Counts {
  if (progress.kind === 'backup') {
    const { phase, filesScanned, bytesUploaded, bytesTotal } = progress;
    if (phase === 'scanning') return { filesDone: filesScanned, bytesDone: bytesUploaded };
    return { filesDone: filesScanned, filesTotal: filesScanned, bytesDone: bytesUploaded, bytesTotal };
  }
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal } = progress;
  return phase === 'planning' ? { filesDone, bytesDone } : { filesDone, filesTotal, bytesDone, bytesTotal };
}

/** Bytes transferred; or written, when a restore writes data that it has already. */
function movedBytes(progress: Progress): number {
  return progress.kind === 'backup' ? progress.bytesUploaded : Math.max(progress.bytesDownloaded, progress.bytesDone);
}
