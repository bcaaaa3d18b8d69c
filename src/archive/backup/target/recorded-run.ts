import { unlessInterrupted } from '../../../jobs/interruption.ts';
import { RecordedJob } from '../../../jobs/recorded-job.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import type { SharedReading } from '../reading/shared-reading.ts';
import type {
  BackupDependencies,
  BackupOptions,
  BackupOutcome,
  BackupReport,
  BackupRequest,
  BackupTarget,
} from '../types.ts';
import { TargetRun } from './target-run.ts';

export interface RecordedRunParts {
  readonly request: BackupRequest;
  readonly dependencies: BackupDependencies;
  readonly reading: SharedReading;
  readonly options: BackupOptions;
}

/** A run's part at one destination, with its job. */
export class RecordedRun {
  readonly #target: BackupTarget;
  readonly #parts: RecordedRunParts;
  readonly #run: TargetRun;
  #job: RecordedJob | undefined;
  #hasEnded = false;

  constructor(target: BackupTarget, parts: RecordedRunParts) {
    const { request, dependencies, reading, options } = parts;
    this.#target = target;
    this.#parts = parts;
    this.#run = new TargetRun({
      target,
      request,
      dependencies,
      reading,
      onProgress: (progress) => {
        this.#job?.update(progress);
        target.onProgress?.(progress);
      },
      signal: options.signal,
    });
  }

  /** Resolves when the destination is open; rejects if it cannot be used. */
  get prepared(): Promise<void> {
    return this.#run.prepared;
  }

  /** `undefined` when the destination is done. */
  get activeMeter(): ProgressMeter | undefined {
    return this.#hasEnded ? undefined : this.#run.meter;
  }

  /** Records the job before anything else. */
  async execute(): Promise<BackupOutcome> {
    const { destination } = this.#target;
    try {
      this.#job = this.#begin();
      const report = await this.#job.record(() => this.#executeRun());
      return { destination, report };
    } catch (error) {
      this.#run.refuse(error);
      return { destination, error };
    } finally {
      this.#hasEnded = true;
    }
  }

  /** @throws HoldfastError `interrupted` if the job was withdrawn meanwhile */
  #begin(): RecordedJob {
    const { destination, job, onJob, explain } = this.#target;
    const { request, dependencies, options } = this.#parts;
    const { catalog, clock } = dependencies;
    return new RecordedJob(
      catalog.journal,
      clock,
      { kind: 'backup', backupSet: request.set.name, destination },
      {
        ...(options.signal && { signal: options.signal }),
        ...(options.trigger !== undefined && { trigger: options.trigger }),
        ...(job !== undefined && { job }),
        ...(onJob && { onJob }),
        ...(explain && { explain }),
      },
    );
  }

  async #executeRun(): Promise<{ readonly report: BackupReport; readonly warnings: number }> {
    try {
      const report = await unlessInterrupted(this.#parts.options.signal, this.#run.execute());
      return { report, warnings: report.warnings.length };
    } finally {
      // Before the job ends, after which it has no progress.
      this.#hasEnded = true;
    }
  }
}
