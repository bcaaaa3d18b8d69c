import type { RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import { runDrill } from '../../../restore/drill/drill.ts';
import { initialProgress } from '../../../restore/progress-meter.ts';
import type { DrillReport } from '../../../restore/types.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { WorkerPool } from '../../../workers/pool.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { SetReference } from '../../context/set-source.ts';
import { WaitingRelay } from '../../context/waiting-relay.ts';
import type { ReadingNotes } from '../restore/choose-destination.ts';
import { withReading, type ReadingContext } from '../restore/reading-context.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

export interface DrillOptions extends SetReference, TransferLimits {
  readonly at: RestoreTime;
}

/** Restores a sample of a restore point and compares it. @throws HoldfastError `set_unknown`, and what `runDrill` throws */
export async function drill(
  parts: AgentParts,
  options: DrillOptions,
  run: RunOptions<RestoreProgress>,
): Promise<DrillReport & ReadingNotes> {
  const { home, clock } = parts;
  const waiting = new WaitingRelay();
  const shown = waiting.through(run, initialProgress('drill'));
  const drillFrom = async (context: ReadingContext): Promise<DrillReport & ReadingNotes> => {
    const { access, catalog, keys, source, downloader, notes, settings } = context;
    const { service } = access;
    await using pool = new WorkerPool();
    const report = await runDrill(
      { source, isHere: source.deviceId === settings.deviceId },
      { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder },
      { ...shown, explain: (error) => access.explain(error) },
    );
    return { ...report, ...notes };
  };
  const job = { job: `drill ${options.set}`, waiting, limits: options };
  return withReading(parts, options, job, drillFrom, run.signal);
}
