import type { RestoreProgress, RunOptions } from '../../jobs/progress.ts';
import type { VerifyExtent } from '../../jobs/job-request.ts';
import { initialProgress } from '../../restore/progress-meter.ts';
import type { VerifyReport } from '../../restore/types.ts';
import { verifyRestorePoint } from '../../restore/verify/verify.ts';
import type { TransferLimits } from '../../remote/http/rate-limited-http.ts';
import { WorkerPool } from '../../workers/pool.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { SetReference } from '../context/set-source.ts';
import { WaitingRelay } from '../context/waiting-relay.ts';
import type { ReadingNotes } from './restore/choose-destination.ts';
import { withReading, type ReadingContext } from './restore/reading-context.ts';
import type { RestoreTime } from '../../model/restore-request.ts';

export interface VerifyOptions extends SetReference, TransferLimits {
  readonly at: RestoreTime;
  readonly samplePercent: number;
  /** As of a `VerifyExtent`. */
  readonly beside?: VerifyExtent['beside'];
}

/** @throws HoldfastError `set_unknown`, and what `verifyRestorePoint` throws */
export async function verify(
  parts: AgentParts,
  options: VerifyOptions,
  run: RunOptions<RestoreProgress>,
): Promise<VerifyReport & ReadingNotes> {
  const { home, clock } = parts;
  const waiting = new WaitingRelay();
  const shown = waiting.through(run, initialProgress('verify'));
  const verifyFrom = async (context: ReadingContext): Promise<VerifyReport & ReadingNotes> => {
    const { access, catalog, keys, source, downloader, notes } = context;
    const { service } = access;
    await using pool = new WorkerPool();
    const report = await verifyRestorePoint(
      { source, samplePercent: options.samplePercent, ...(options.beside ? { beside: options.beside } : {}) },
      { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder },
      { ...shown, explain: (error) => access.explain(error) },
    );
    return { ...report, ...notes };
  };
  const job = { job: `verify ${options.set}`, waiting, limits: options };
  return withReading(parts, options, job, verifyFrom, run.signal);
}
