import { Worker } from 'node:worker_threads';
import { CallClient } from '../../../base/calls/call-client.ts';
import { workerPort } from '../../../base/calls/thread-port.ts';
import type { CheckRequest } from '../../../jobs/job-request.ts';
import type { Progress, RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import type { ExportReport } from '../../../restore/export/export-point.ts';
import type { DrillReport, RestoreReport, VerifyReport } from '../../../restore/types.ts';
import type { UndoReport } from '../../../restore/undo/undo-report.ts';
import type { UndoOptions } from '../../../restore/undo/undo-restore.ts';
import { rateOf, type TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { Agent } from '../../agent.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { BackupOptions } from '../../operations/backup/backup.ts';
import type { BackupRun } from '../../operations/backup/backup-run.ts';
import type { BackupResult } from '../../operations/backup/backup-result.ts';
import type { CheckReport, RepairReport } from '../../operations/check.ts';
import type { DrillOptions } from '../../operations/drill/drill.ts';
import type { RestoreOptions } from '../../operations/restore/restore-request.ts';
import type { FreeChoice, FreePlan, FreeReport } from '../../operations/free.ts';
import type { VerifyOptions } from '../../operations/verify.ts';
import type {
  CurrentLimits,
  FileExport,
  RunOrder,
  RunOutcome,
  RunThreadCalls,
  RunThreadEvents,
  RunThreadSetup,
} from './run-thread-calls.ts';

/** Equal to that of runs of the command line. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 12 };

/** The interval at which limits by the hour of day are applied. */
const LIMITS_MS = 2000;

/** An agent that executes each run in its own thread. */
export class ThreadedAgent extends Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    super(parts);
    this.#parts = parts;
  }

  override at(destination: string): ThreadedAgent {
    return new ThreadedAgent(this.partsAt(destination));
  }

  override async backup(
    set: string,
    { limitUpload, limitDownload, ...options }: BackupOptions,
    run: BackupRun,
  ): Promise<BackupResult> {
    const limits = limitsOf(limitUpload, limitDownload);
    return (await this.#run({ kind: 'backup', set, options }, limits, run)) as BackupResult;
  }

  override async restore(
    { limitUpload, limitDownload, ...options }: RestoreOptions,
    run: RunOptions<RestoreProgress>,
  ): Promise<RestoreReport> {
    const limits = limitsOf(limitUpload, limitDownload);
    return (await this.#run({ kind: 'restore', options }, limits, run)) as RestoreReport;
  }

  override async verify(
    { limitUpload, limitDownload, ...options }: VerifyOptions,
    run: RunOptions<RestoreProgress>,
  ): Promise<VerifyReport> {
    const limits = limitsOf(limitUpload, limitDownload);
    return (await this.#run({ kind: 'verify', options }, limits, run)) as VerifyReport;
  }

  override async drill(
    { limitUpload, limitDownload, ...options }: DrillOptions,
    run: RunOptions<RestoreProgress>,
  ): Promise<DrillReport> {
    const limits = limitsOf(limitUpload, limitDownload);
    return (await this.#run({ kind: 'drill', options }, limits, run)) as DrillReport;
  }

  override async check(request: CheckRequest, run: RunOptions<RestoreProgress>): Promise<CheckReport> {
    return (await this.#run({ kind: 'check', request }, noLimits, run)) as CheckReport;
  }

  override async repair(request: CheckRequest, run: RunOptions<RestoreProgress>): Promise<RepairReport> {
    return (await this.#run({ kind: 'repair', request }, noLimits, run)) as RepairReport;
  }

  override async undoRestore(_options: UndoOptions, run: RunOptions<RestoreProgress> = {}): Promise<UndoReport> {
    return (await this.#run({ kind: 'undo' }, noLimits, run)) as UndoReport;
  }

  override async exportPoint(options: FileExport, run: RunOptions<RestoreProgress> = {}): Promise<ExportReport> {
    return (await this.#run({ kind: 'export', options }, noLimits, run)) as ExportReport;
  }

  override async planFreeing(signal?: AbortSignal): Promise<FreePlan> {
    return (await this.#run({ kind: 'space' }, noLimits, signal ? { signal } : {})) as FreePlan;
  }

  override async freeSpace(choice: FreeChoice, signal?: AbortSignal): Promise<FreeReport> {
    return (await this.#run({ kind: 'free', choice }, noLimits, signal ? { signal } : {})) as FreeReport;
  }

  async #run<Shape extends Progress>(
    order: RunOrder,
    limits: () => CurrentLimits,
    {
      signal,
      trigger,
      job,
      onJob,
      onProgress,
      onProgressAt,
      onEndAt,
    }: RunOptions<Shape> & Pick<BackupRun, 'onProgressAt' | 'onEndAt'>,
  ): Promise<RunOutcome> {
    const { home, environment, onSkew } = this.#parts;
    const setup: RunThreadSetup = {
      home: home.folder,
      environment: { ...environment },
      destination: this.#parts.destination,
    };
    const worker = new Worker(new URL('./run-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
    });
    const port = workerPort(worker, (code) => new Error(`the thread of a ${order.kind} ended with code ${code}`));
    const client = new CallClient<RunThreadCalls, RunThreadEvents>(port, {
      listeners: {
        job: (id) => onJob?.(id),
        progress: (progress) => onProgress?.(progress as Shape),
        progressAt: ({ destination, progress }) => onProgressAt?.(destination, progress),
        endedAt: ({ destination, failure }) => onEndAt?.(destination, failure),
        skew: (skewMs) => onSkew?.(skewMs),
      },
    });
    // The thread may have ended when an update arrives.
    const update = (): void => void client.call('setLimits', limits()).catch(() => undefined);
    const timer = setInterval(update, LIMITS_MS);
    try {
      return await client.call('run', { order, limits: limits(), trigger, job }, { signal });
    } finally {
      clearInterval(timer);
    }
  }
}

/** Limits apply to services, which check themselves. */
function noLimits(): CurrentLimits {
  return {};
}

/** Returns a function for the current limits of a run. */
function limitsOf(
  upload: TransferLimits['limitUpload'],
  download: TransferLimits['limitDownload'],
): () => CurrentLimits {
  return () => ({
    ...(upload === undefined ? {} : { limitUpload: { now: rateOf(upload)() } }),
    ...(download === undefined ? {} : { limitDownload: { now: rateOf(download)() } }),
  });
}
