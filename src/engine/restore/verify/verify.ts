import { HoldfastError, isHoldfastError, type ErrorCode } from '../../../base/errors.ts';
import { KEYS_PATH, TREE_PATH } from '../../../protocol/path.ts';
import { ENVELOPE_CHUNK_KEY } from '../../crypto/chunk-keys.ts';
import { envelopeFits, readEnvelope } from '../../crypto/key-envelope.ts';
import { throwIfInterrupted } from '../../job/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../job/progress.ts';
import { fetchChunks, type ChunkDependencies } from '../chunks/fetch-chunks.ts';
import { wantedChunks } from '../chunks/wanted-chunks.ts';
import { recordDamagedChunks } from '../plan/damaged-chunks.ts';
import { PlanStore } from '../plan/plan-store.ts';
import { makePlan, type Plan } from '../plan/plan.ts';
import { countDownloads, ProgressMeter, readSources } from '../progress-meter.ts';
import { recordJob } from '../record-job.ts';
import type { VerifyRequest } from '../../job/job-request.ts';
import type { RestoreDependencies, VerifyReport } from '../types.ts';
import { ChunkVerification } from './chunk-verification.ts';

/** Files that are named for one damaged chunk. */
const MAX_NAMED_FILES = 100;

/**
 * Downloads, opens and checks the tree, the key envelope and every chunk of a restore point (or a sample of them), each
 * once, and writes nothing. The report names what is wrong.
 *
 * @throws HoldfastError `no_restore_point`, `interrupted`, and what the service throws
 */
export async function verifyRestorePoint(
  request: VerifyRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<VerifyReport> {
  const job = { kind: 'verify', backupSet: request.source.backupSet, request } as const;
  return await recordJob(job, deps, options, (inner) => verify(request, deps, inner));
}

async function verify(
  { source, samplePercent }: VerifyRequest,
  deps: RestoreDependencies,
  { signal, onProgress }: RunOptions<RestoreProgress>,
): Promise<VerifyReport> {
  const meter = new ProgressMeter('verify', deps.clock, onProgress);
  const counted = { ...deps, downloader: countDownloads(deps.downloader, meter) };
  using store = new PlanStore(deps.scratch);
  const plan = await makePlan({ source, paths: [], acceptUnverified: true }, store, counted, signal);
  if (!plan.point.treeChunks) plan.failures.add(TREE_PATH, 'tree_invalid', undefined, 'missing');
  throwIfInterrupted(signal);
  const hasOurKeys = await checkEnvelope(plan, counted, signal);
  meter.begin({ ...store.totals(), filesDone: 0, bytesDone: 0 });
  const verification = new ChunkVerification({ plan, deps: counted, meter, samplePercent, signal });
  const { files, chunks, damaged } = await verification.run(store);
  meter.enter('finishing');
  nameDamagedFiles(store, plan, damaged);
  recordDamagedChunks(plan, source, deps.catalog, { damaged, replaced: deps.downloader.several?.damaged, hasOurKeys });
  meter.end();
  return {
    restorePoint: plan.point.restorePoint,
    filesChecked: files,
    chunksChecked: chunks,
    failures: plan.failures.named,
    failuresTotal: plan.failures.total,
    warnings: plan.warnings,
    ...readSources(deps.downloader),
  };
}

/** Problems of an envelope itself rather than of the connection. */
const ENVELOPE_FAILURES: ReadonlySet<string> = new Set([
  'tree_invalid',
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
  'service_answer_suspicious',
]);

/**
 * Reads the key envelope of a restore point and adds it to the failures if that fails. A restore on this computer does not
 * need it; on a new one, a passphrase opens nothing without it.
 *
 * @returns whether it proved that our keys are the account's
 */
async function checkEnvelope(
  { point, failures }: Plan,
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { restoreSessionId: session, treeChunks, envelopeChunks: hashes } = point;
  // Other programs store neither.
  if (!treeChunks) return false;
  try {
    if (hashes?.length !== 1) throw new HoldfastError('tree_invalid', { reason: 'entry-missing' });
    const [bytes] = await fetchChunks({ session, hashes, key: ENVELOPE_CHUNK_KEY }, deps, signal);
    const fits = envelopeFits(readEnvelope(bytes!), deps.keys);
    if (!fits) throw new HoldfastError('tree_invalid', { reason: 'other-key' });
    return true;
  } catch (error) {
    if (!isHoldfastError(error) || !ENVELOPE_FAILURES.has(error.code)) throw error;
    failures.addError(KEYS_PATH, error);
    return false;
  }
}

/** Goes through the plan once more and names the files that need a damaged chunk. */
function nameDamagedFiles(store: PlanStore, plan: Plan, damaged: ReadonlyMap<string, ErrorCode>): void {
  if (damaged.size === 0) return;
  const named = new Map<string, number>();
  for (const work of store.workInOrder()) {
    for (const hash of new Set(wantedChunks(work, plan.sessions).map((chunk) => chunk.hash))) {
      const reason = damaged.get(hash);
      if (reason === undefined) continue;
      const count = (named.get(hash) ?? 0) + 1;
      named.set(hash, count);
      if (count <= MAX_NAMED_FILES) plan.failures.add(work.path, reason, hash);
    }
  }
}
