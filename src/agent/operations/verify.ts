import type { RestoreProgress, RunOptions } from '../../engine/job/progress.ts';
import { initialProgress } from '../../engine/restore/progress-meter.ts';
import type { VerifyReport } from '../../engine/restore/types.ts';
import { verifyRestorePoint } from '../../engine/restore/verify/verify.ts';
import type { TransferLimits } from '../../engine/transfer/http/rate-limited-http.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { withContext } from '../context/open-context.ts';
import { sourceOf, type SetReference } from '../context/set-source.ts';
import { WaitingRelay } from '../context/waiting-relay.ts';

export interface VerifyOptions extends SetReference, TransferLimits {
  readonly at: number | 'latest';
  readonly samplePercent: number;
}

/** @throws HoldfastError `set_unknown`, and what `verifyRestorePoint` throws */
export async function verify(
  parts: AgentParts,
  options: VerifyOptions,
  run: RunOptions<RestoreProgress>,
): Promise<VerifyReport> {
  const { home, clock } = parts;
  const waiting = new WaitingRelay();
  return withContext(parts, { job: `verify ${options.set}`, waiting, limits: options }, async (context) => {
    const { access, catalog, keys } = context;
    const { service, downloader } = access;
    await using pool = new WorkerPool();
    const source = { ...(await sourceOf(context, options, run.signal)), at: options.at };
    return await verifyRestorePoint(
      { source, samplePercent: options.samplePercent },
      { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder },
      waiting.through({ ...run, explain: (error) => access.explain(error) }, initialProgress('verify')),
    );
  });
}
