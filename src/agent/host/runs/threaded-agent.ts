import { Worker } from 'node:worker_threads';
import type { BackupReport } from '../../../engine/backup/types.ts';
import { errorOf } from '../../../base/failure.ts';
import type { BackupProgress, Progress, RestoreProgress, RunOptions } from '../../../engine/job/progress.ts';
import type { RestoreReport, VerifyReport } from '../../../engine/restore/types.ts';
import { rateOf, type TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import { Agent } from '../../agent.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { BackupOptions } from '../../operations/backup.ts';
import type { RestoreOptions } from '../../operations/restore.ts';
import type { VerifyOptions } from '../../operations/verify.ts';
import type {
  CurrentLimits,
  FromRunThread,
  RunOrder,
  RunOutcome,
  RunThreadSetup,
  ToRunThread,
} from './run-thread-wire.ts';

/** As much as the command line lets a run have. */
const MEMORY = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 12 };

/** Limits by the hour of the day are looked at so often. */
const LIMITS_MS = 2000;

/** An agent whose runs have threads of their own, which begin and end with them. */
export class ThreadedAgent extends Agent {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    super(parts);
    this.#parts = parts;
  }

  override async backup(
    set: string,
    { limitUpload, limitDownload, ...options }: BackupOptions,
    run: RunOptions<BackupProgress>,
  ): Promise<BackupReport> {
    const limits = limitsOf(limitUpload, limitDownload);
    return (await this.#run({ kind: 'backup', set, options }, limits, run)) as BackupReport;
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

  async #run<Shape extends Progress>(
    order: RunOrder,
    limits: () => CurrentLimits,
    { signal, trigger, onJob, onProgress }: RunOptions<Shape>,
  ): Promise<RunOutcome> {
    const { home, environment, onSkew } = this.#parts;
    const setup: RunThreadSetup = {
      home: home.folder,
      environment: { ...environment },
      order,
      limits: limits(),
      trigger,
    };
    const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
    const worker = new Worker(new URL('./run-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: MEMORY,
    });
    const tell = (message: ToRunThread): void => worker.postMessage(message);
    const abort = (): void => tell({ kind: 'abort', reason: signal?.reason });
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setInterval(() => tell({ kind: 'limits', limits: limits() }), LIMITS_MS);
    worker.on('message', (message: FromRunThread) => {
      switch (message.kind) {
        case 'job':
          return onJob?.(message.id);
        case 'progress':
          return onProgress?.(message.progress as Shape);
        case 'skew':
          return onSkew?.(message.skewMs);
        case 'done':
          return resolve(message.report);
        case 'failed':
          return reject(errorOf(message.failure));
        case 'broken':
          return reject(message.error);
      }
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the thread of a ${order.kind} ended with code ${code}`)));
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** The limits of a run as they are at any time. */
function limitsOf(
  upload: TransferLimits['limitUpload'],
  download: TransferLimits['limitDownload'],
): () => CurrentLimits {
  return () => ({
    ...(upload === undefined ? {} : { limitUpload: { now: rateOf(upload)() } }),
    ...(download === undefined ? {} : { limitDownload: { now: rateOf(download)() } }),
  });
}
