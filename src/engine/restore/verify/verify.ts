import { throwIfInterrupted } from '../../job/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../job/progress.ts';
import { checkEnvelope } from './check-envelope.ts';
import { ChunkVerification } from './chunk-verification.ts';
import { CountingDownloader } from '../counting-downloader.ts';
import { makePlan, type Plan } from '../plan/plan.ts';
import { PlanStore } from '../plan/plan-store.ts';
import { recordDamagedChunks } from '../plan/record-damage.ts';
import { recordJob } from '../record-job.ts';
import { ProgressMeter } from '../progress-meter.ts';
import { wantedChunks } from '../write/small-file-batch.ts';
import type { RestoreDependencies, VerifyReport, VerifyRequest } from '../types.ts';

/** Files that are named for one damaged chunk. */
const NAMED_FILES = 100;

/**
 * Downloads, opens and checks the tree, the key envelope and every chunk of a restore point (or a sample of them), each
 * once, and writes nothing. What is wrong is named in the report.
 *
 * @throws HoldfastError `no_restore_point`, `interrupted`, and what the service throws
 */
export async function verifyRestorePoint(
  request: VerifyRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<VerifyReport> {
  const run = (inner: RunOptions<RestoreProgress>): Promise<VerifyReport> => planAndVerify(request, deps, inner);
  return await recordJob({ kind: 'verify', backupSet: request.source.backupSet }, deps, options, run);
}

async function planAndVerify(
  request: VerifyRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress>,
): Promise<VerifyReport> {
  const meter = new ProgressMeter('verify', deps.clock, options.onProgress);
  const downloader = new CountingDownloader(deps.downloader, (bytes) => meter.downloaded(bytes));
  const counted = { ...deps, downloader };
  using store = new PlanStore(deps.scratch);
  const plan = await makePlan({ source: request.source, paths: [] }, store, counted, options.signal);
  throwIfInterrupted(options.signal);
  const hasOurKeys = await checkEnvelope(plan, counted, options.signal);
  meter.begin({ ...store.totals(), filesDone: 0, bytesDone: 0 });
  const verification = new ChunkVerification({
    plan,
    deps: counted,
    meter,
    samplePercent: request.samplePercent,
    options,
  });
  const checked = await verification.run(store);
  meter.enter('finishing');
  nameFiles(store, plan, checked.damaged);
  recordDamagedChunks(plan, request.source, checked.damaged, hasOurKeys, deps.catalog);
  meter.end();
  return {
    restorePoint: plan.restorePoint,
    filesChecked: checked.files,
    chunksChecked: checked.chunks,
    failures: plan.failures.named,
    failuresTotal: plan.failures.total,
    warnings: plan.warnings,
  };
}

/** Goes through the plan once more for the files that need a damaged chunk. */
function nameFiles(
  store: PlanStore,
  plan: Plan,
  damaged: Awaited<ReturnType<ChunkVerification['run']>>['damaged'],
): void {
  if (damaged.size === 0) return;
  const named = new Map<string, number>();
  for (const work of store.workInOrder()) {
    for (const hash of new Set(wantedChunks(work, plan.sessions).map((chunk) => chunk.hash))) {
      const reason = damaged.get(hash);
      if (reason === undefined) continue;
      const count = (named.get(hash) ?? 0) + 1;
      named.set(hash, count);
      if (count <= NAMED_FILES) plan.failures.add(work.path, reason, hash);
    }
  }
}
