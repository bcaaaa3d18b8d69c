import { HoldfastError, isHoldfastError, type ErrorCode } from '../../base/errors/errors.ts';
import { KEYS_PATH, TREE_PATH } from '../../protocol/path.ts';
import { envelopeFits, readEnvelope } from '../../format/crypto/key-envelope.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../jobs/progress.ts';
import { fetchChunks, type ChunkDependencies } from '../../read/chunks/fetch-chunks.ts';
import { wantedChunks } from '../../read/chunks/wanted-chunks.ts';
import { recordDamagedChunks } from '../plan/damaged-chunks.ts';
import { PlanStore } from '../record/plan-store.ts';
import { makePlan, type Plan } from '../plan/plan.ts';
import { countDownloads, ProgressMeter, readSources } from '../progress-meter.ts';
import { recordJob } from '../record-job.ts';
import { requestedPoint, type VerifyExtent } from '../../jobs/job-request.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { FailureList } from '../failure-list.ts';
import { listRestorePoints } from '../../read/list.ts';
import { MAX_FAILURES, type RestoreDependencies, type RestoreFailure, type VerifyReport } from '../types.ts';
import { CheckedDigests, ChunkVerification, type CheckedChunks } from './chunk-verification.ts';

/** Files that are named for one damaged chunk. */
const MAX_NAMED_FILES = 100;

/**
 * Downloads, opens and checks the tree, the key envelope and every chunk of a restore point (or a sample of them), each
 * once, and writes nothing. On request other restore points of the set follow, of which only what was not checked before is read. The report
 * names what is wrong.
 *
 * @throws HoldfastError `no_restore_point`, `interrupted`, and what the service throws
 */
export async function verifyRestorePoint(
  request: VerifyRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<VerifyReport> {
  const { source, ...extent } = request;
  const recorded = { ...requestedPoint(source), ...extent };
  const job = { kind: 'verify', backupSet: source.backupSet, request: recorded } as const;
  return await recordJob(job, deps, options, (inner) => verify(request, deps, inner));
}

/** The restore point that is checked first, and how much is. */
export interface VerifyRequest extends VerifyExtent {
  readonly source: RestoreSource;
}

interface Verification {
  readonly samplePercent: number;
  readonly deps: RestoreDependencies;
  readonly meter: ProgressMeter;
  /** `undefined` if only one restore point is checked. */
  readonly checked: CheckedDigests | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The result for one restore point. */
interface VerifiedPoint extends Omit<CheckedChunks, 'damaged'> {
  readonly restorePoint: string;
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  readonly filesDamaged: number;
  readonly warnings: readonly RunWarning[];
}

async function verify(
  { source, samplePercent, beside }: VerifyRequest,
  deps: RestoreDependencies,
  { signal, onProgress }: RunOptions<RestoreProgress>,
): Promise<VerifyReport> {
  const meter = new ProgressMeter('verify', deps.clock, onProgress);
  const counted = { ...deps, downloader: countDownloads(deps.downloader, meter) };
  using checked = beside && new CheckedDigests();
  const verification = { samplePercent, deps: counted, meter, checked, signal };
  const points = [await verifyPoint(source, verification)];
  for (const at of await otherPoints(points[0]!.restorePoint, source, beside, counted, signal)) {
    points.push(await verifyOther({ ...source, at: Date.parse(at) }, at, verification));
  }
  meter.enter('finishing');
  meter.end();
  return {
    ...combined(points),
    bytesDownloaded: meter.state.bytesDownloaded,
    ...readSources(deps.downloader),
  };
}

function combined(points: readonly VerifiedPoint[]): Omit<VerifyReport, 'bytesDownloaded' | 'sources'> {
  const sum = (figure: (point: VerifiedPoint) => number): number =>
    points.reduce((total, point) => total + figure(point), 0);
  const failures = points.flatMap((point) => point.failures);
  const named = new Set(failures.map(({ path }) => path)).size;
  const namedEach = sum((point) => new Set(point.failures.map(({ path }) => path)).size);
  return {
    restorePoint: points[0]!.restorePoint,
    pointsChecked: points.length,
    filesChecked: sum(({ files }) => files),
    chunksChecked: sum(({ chunks }) => chunks),
    bytesChecked: sum(({ bytes }) => bytes),
    failures: failures.slice(0, MAX_FAILURES),
    failuresTotal: sum(({ failuresTotal }) => failuresTotal),
    filesDamaged: named + sum(({ filesDamaged }) => filesDamaged) - namedEach,
    warnings: points.flatMap(({ warnings }) => warnings),
  };
}

/** Returns the restore points that are checked beside the first, newest first. */
async function otherPoints(
  first: string,
  source: RestoreSource,
  beside: VerifyExtent['beside'],
  deps: RestoreDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (!beside) return [];
  const listed = await listRestorePoints(source, deps, signal);
  const others = listed.map(({ restore_point: at }) => at).filter((at) => Date.parse(at) !== Date.parse(first));
  if (beside === 'all') return others;
  const chosen = others[Math.floor(Math.random() * others.length)];
  return chosen === undefined ? [] : [chosen];
}

/** One that cannot be opened at all is a failure of this one. One that a policy has removed meanwhile is none. */
async function verifyOther(source: RestoreSource, at: string, verification: Verification): Promise<VerifiedPoint> {
  const nothing = { restorePoint: at, files: 0, chunks: 0, bytes: 0, warnings: [] };
  try {
    return await verifyPoint(source, verification);
  } catch (error) {
    if (isHoldfastError(error, 'no_restore_point')) {
      return { ...nothing, failures: [], failuresTotal: 0, filesDamaged: 0 };
    }
    if (!isHoldfastError(error) || !UNREADABLE.has(error.code)) throw error;
    const failures = new FailureList();
    failures.addError(TREE_PATH, error, at);
    return { ...nothing, failures: failures.named, failuresTotal: failures.total, filesDamaged: failures.files };
  }
}

async function verifyPoint(
  source: RestoreSource,
  { samplePercent, deps, meter, checked, signal }: Verification,
): Promise<VerifiedPoint> {
  const isLater = meter.state.phase !== 'planning';
  using store = new PlanStore(deps.scratch);
  const plan = await makePlan({ source, paths: [], acceptUnverified: true }, store, deps, signal);
  if (!plan.point.treeChunks) plan.failures.add(TREE_PATH, 'tree_invalid', undefined, 'missing');
  throwIfInterrupted(signal);
  const hasOurKeys = await checkEnvelope(plan, deps, signal);
  const { filesTotal, bytesTotal, filesDone, bytesDone } = meter.state;
  const totals = isLater ? newTotals(store, plan, checked) : store.totals();
  meter.begin({
    filesTotal: filesTotal + totals.filesTotal,
    bytesTotal: bytesTotal + totals.bytesTotal,
    filesDone,
    bytesDone,
  });
  const verification = new ChunkVerification({ plan, deps, meter, samplePercent, checked, isLater, signal });
  const { damaged, ...figures } = await verification.run(store);
  nameDamagedFiles(store, plan, damaged);
  const replaced = deps.downloader.several?.damaged;
  await recordDamagedChunks(plan, source, deps, { damaged, replaced, hasOurKeys }, signal);
  return {
    restorePoint: plan.point.restorePoint,
    ...figures,
    failures: plan.failures.named,
    failuresTotal: plan.failures.total,
    filesDamaged: plan.failures.files,
    warnings: plan.warnings,
  };
}

/** Counts the files with chunks that were not checked before. */
function newTotals(
  store: PlanStore,
  plan: Plan,
  checked: CheckedDigests | undefined,
): Pick<RestoreProgress, 'filesTotal' | 'bytesTotal'> {
  let [filesTotal, bytesTotal] = [0, 0];
  for (const work of store.workInOrder()) {
    if (work.type !== 'file') continue;
    if (wantedChunks(work, plan.sessions).every(({ hash }) => checked?.has(hash))) continue;
    filesTotal += 1;
    bytesTotal += work.size;
  }
  return { filesTotal, bytesTotal };
}

/** A restore point that cannot be opened. */
const UNREADABLE: ReadonlySet<string> = new Set(['tree_invalid', 'chunk_missing', 'chunk_tampered', 'chunk_corrupt']);

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
    const [bytes] = await fetchChunks({ session, hashes, kind: 'envelope' }, deps, signal);
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
