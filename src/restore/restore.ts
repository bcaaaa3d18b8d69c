import { HoldfastError, wrongUsage } from '../base/errors/errors.ts';
import { FolderWalk } from '../os/filesystem/folder-walk.ts';
import { Folder } from '../os/filesystem/folder.ts';
import { throwIfInterrupted } from '../jobs/interruption.ts';
import type { RestoreProgress, RunOptions } from '../jobs/progress.ts';
import { ChunkSource } from '../read/chunks/chunk-source.ts';
import { collectReferenced } from '../read/chunks/wanted-chunks.ts';
import { detectConflicts, type ConflictSummary } from './conflicts/conflicts.ts';
import { ContentComparison } from './conflicts/content-comparison.ts';
import { commonNameRules } from './conflicts/name-rules.ts';
import { OpenedFolders } from './conflicts/opened-folders.ts';
import { PathChoices, PathExclusion } from './conflicts/request-paths.ts';
import { findSurplus, isSurplusAsWhole, type SetRules, type SurplusInput } from './conflicts/surplus.ts';
import { RecordSeal } from './record/record-seal.ts';
import { RestoreRecord } from './record/restore-record.ts';
import { restoreIdOf } from './record/resume-journal.ts';
import { recordDamagedChunks } from './plan/damaged-chunks.ts';
import { PlanStore } from './record/plan-store.ts';
import type { UsedFolder } from './record/surplus-store.ts';
import type { PlannedChange } from './record/planned-entry.ts';
import { makePlan, type Plan } from './plan/plan.ts';
import { countDownloads, ProgressMeter } from './progress-meter.ts';
import { recordJob } from './record-job.ts';
import { digestOf } from '../format/chunks/digest.ts';
import { conflictPaths, reportOf, type RestoreParts } from './restore-report.ts';
import type { RestoreRequest } from '../model/restore-request.ts';
import type { RestoreDependencies, RestoreReport, LocalRestoreRequest } from './types.ts';
import { finishRestore } from './write/finish.ts';
import { MovedAside } from './write/moved-aside.ts';
import {
  resolveOriginalPlaces,
  checkSpace,
  checkWritable,
  createTarget,
  existingFolder,
  openForWriting,
  resolveTarget,
  writeError,
  type Target,
} from './write/target.ts';
import { WritePipeline } from './write/pipeline.ts';
import { RestoreRun } from './write/restore-run.ts';
import { WrittenChunks } from './write/written-chunks.ts';

/**
 * Restores a set, or some paths of it, as it was at a time, into a folder.
 *
 * Everything restored is on disk when it resolves. Files that fail are named in the report and the others are restored.
 * What prevents a restore from writing is thrown:
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `target_conflict`
 *   (details `{target, conflicts, total}`), `target_inside_source` (`{target, source}`), `target_unwritable`
 *   (`{target, reason}`), `target_full` (`{target, needed, free}`), `interrupted`, what the service throws, and
 *   `tree_invalid` or `chunk_*` if no tree can be read, unless the request accepts that
 */
export async function runRestore(
  request: RestoreRequest & LocalRestoreRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<RestoreReport> {
  if (request.dryRun) return await restoreFiles(request, deps, options);
  const { source, dryRun: _dryRun, sourceRoots: _sourceRoots, rules: _rules, ...recorded } = request;
  using untilRecorded = new DisposableStack();
  const { untilReported = untilRecorded } = options;
  const job = { kind: 'restore', backupSet: source.backupSet, request: recorded } as const;
  return await recordJob(job, deps, { ...options, untilReported }, (inner) => restoreFiles(request, deps, inner));
}

/** What a restore has written. */
export type WrittenRestore = Pick<RestoreParts, 'store' | 'plan' | 'target' | 'run'>;

/** Steps that others add to a restore. */
export interface RestoreSteps {
  /** May remove entries from the plan. */
  readonly planned?: (store: PlanStore) => void;
  /** Called when everything is on disk. */
  readonly written?: (written: WrittenRestore) => Promise<void>;
  /** Whether the service learns of it. True by default. */
  readonly isReported?: boolean;
}

/** The whole flow: plan, conflicts, write, finish, report. Records no job. @throws as `runRestore` */
export async function restoreFiles(
  request: LocalRestoreRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress>,
  steps: RestoreSteps = {},
): Promise<RestoreReport> {
  const { source, paths, dryRun = false, acceptUnverified = false } = request;
  const { signal, onProgress } = options;
  const { clock } = deps;
  const folder = request.to === null ? undefined : resolveTarget(request.to, request.sourceRoots);
  const meter = new ProgressMeter('restore', clock, onProgress);
  const counted = { ...deps, downloader: countDownloads(deps.downloader, meter) };
  using store = new PlanStore(deps.scratch);

  const planned = await makePlan({ source, paths, dryRun, acceptUnverified }, store, counted, signal);
  throwIfInterrupted(signal);
  steps.planned?.(store);
  const { target, plan } = folder ? { target: folder, plan: planned } : inOriginalPlaces(planned, request);
  using record = openRecord(request, { store, plan, target }, deps);
  const { journal } = record;
  const changes = request.to === null && deps.undoRecords !== undefined ? record.changes : undefined;
  const run = new RestoreRun({ failures: plan.failures, meter, clock, signal });
  const opened = new OpenedFolders();
  const parts = { request, deps: counted, target, store, plan, journal, changes, run, opened };
  let isComplete = false;
  try {
    const conflicts = await compareWithTarget(parts, signal);
    if (request.exact === true) await compareSurplus(parts, signal);
    if (dryRun) {
      if (request.to !== null) checkWritable(target);
      return reportOf(parts, conflicts);
    }
    if (conflicts.undecided > 0) {
      const details = { conflicts: conflictPaths(target, conflicts.conflicts), total: conflicts.conflictsTotal };
      throw new HoldfastError('target_conflict', { target: target.path, ...details });
    }
    checkSpace(target, conflicts.needed);
    // In their original places files are refused one by one: some folders may be read-only.
    if (request.to === null) createTarget(target);
    else openForWriting(target, `${journal.partialPrefix}probe`);
    record.begin();
    run.changes = changes;
    const { files: filesTotal, bytes: bytesTotal, resumed: filesDone, resumedBytes: bytesDone } = conflicts;
    meter.begin({ filesTotal, bytesTotal, filesDone, bytesDone });
    const report = (state: 'started' | 'completed', files: number, bytes: number) =>
      steps.isReported === false
        ? undefined
        : deps.service.restoreReport?.(plan.point.restoreSessionId, state, { files, bytes }, signal);
    await report('started', filesTotal, bytesTotal);
    const keptIn = await writeAndFinish(parts);
    record.end(clock.now());
    await steps.written?.(parts);
    await recordDamagedChunks(plan, source, deps, { replaced: deps.downloader.several?.damaged }, signal);
    run.throwIfFailed();
    meter.end();
    const hasAllFiles = run.failures.total === 0;
    if (hasAllFiles) await report('completed', run.filesRestored, run.bytesWritten);
    // The next run sets the attributes for which there was no room, and downloads nothing again.
    isComplete = hasAllFiles && !run.hasPassingLosses;
    return reportOf(parts, conflicts, keptIn);
  } catch (error) {
    opened.closeAgain(target.path);
    throw error;
  } finally {
    // If the process is killed before that, the next run continues this one and finds everything done.
    if (isComplete) options.untilReported?.defer(() => record.complete());
  }
}

function inOriginalPlaces(
  planned: Plan,
  { rules }: LocalRestoreRequest,
): { readonly target: Target; readonly plan: Plan } {
  const { target, bases } = resolveOriginalPlaces(planned.bases, rules?.roots ?? [], planned.sources);
  return { target, plan: { ...planned, bases } };
}

/** The record outlives a complete restore if this can be undone. */
function openRecord(
  { source, paths, without = [], to, dryRun = false, exact = false }: LocalRestoreRequest,
  { store, plan, target }: Pick<RestoreParts, 'store' | 'plan' | 'target'>,
  { scratch, undoRecords, clock, keys }: RestoreDependencies,
): RestoreRecord {
  const { deviceId, backupSet } = source;
  const inPlace = to === null;
  const facts = { deviceId, backupSet, restorePoint: plan.point.restorePoint, target: target.path };
  const restore = {
    id: restoreIdOf({ ...facts, isProven: plan.hasTree, paths, without, inPlace, exact }),
    ...facts,
    startedAt: clock.now(),
    continuedAt: clock.now(),
    deepest: target.deepest,
    bases: plan.bases.map(({ folder = [], name }) => ({ folder: [...folder], name })),
  };
  const isUndoable = inPlace && undoRecords !== undefined;
  const place = { folder: isUndoable ? undoRecords : scratch, seal: new RecordSeal(keys.undo), isUndoable };
  return dryRun ? RestoreRecord.openReadOnly(place, restore) : RestoreRecord.open(store.database, place, restore);
}

async function compareWithTarget(parts: RestoreParts, signal: AbortSignal | undefined): Promise<ConflictSummary> {
  const { request, store, plan, target, deps, journal, changes, opened } = parts;
  const { dryRun = false, without = [], paths, exact = false } = request;
  const choices = choicesOf(request);
  const nameRules = commonNameRules([...new Set(target.places.map(({ deepest }) => deepest))].slice(0, MAX_PLACES));
  using walk = target.exists ? new FolderWalk(Folder.open(target.path)) : undefined;
  const exclusion = new PathExclusion(without, paths);
  const content = new ContentComparison(store, deps.pool, signal);
  const { bases, hasTree: isProven } = plan;
  const inPlace = request.to === null;
  const onChange = dryRun ? undefined : changes && ((change: PlannedChange) => changes.planned(change));
  const onUsed = exact ? (folder: UsedFolder) => store.surplus.addUsed(folder) : undefined;
  const made = { journal, opened };
  const comparison = { store, bases, walk, exclusion, choices, nameRules, isProven, content, inPlace, dryRun, ...made };
  const { rules } = request;
  if (!rules || !walk || !inPlace) {
    const summary = await detectConflicts({ ...comparison, onChange, onUsed });
    requireMatchedChoices(choices, plan);
    return summary;
  }
  // Looking into a folder must not leave the one that is compared.
  using inner = new FolderWalk(Folder.open(target.path));
  const search = surplusSearch(parts, rules, inner, signal);
  const mayMove = (folder: UsedFolder) => isSurplusAsWhole(folder, search);
  return await detectConflicts({ ...comparison, onChange, onUsed, mayMove });
}

/**
 * Throws if no planned entry matches a choice for a path: the file that was meant would be treated by the choice for all. If a part of the tree
 * cannot be read, the choice may match a file listed there, and the rest is restored.
 *
 * @throws HoldfastError `usage` `choice-unmet`
 */
function requireMatchedChoices(choices: PathChoices, { failures }: Plan): void {
  if (choices.unmet === undefined || failures.total > 0) return;
  throw wrongUsage({ problem: 'choice-unmet', path: choices.unmet || '/' });
}

/** What has changed is replaced where nothing else than the state of that time may be. */
function choicesOf({ conflict, choices, exact }: LocalRestoreRequest): PathChoices {
  return exact === true ? new PathChoices('overwrite') : new PathChoices(conflict, choices);
}

/** Places whose file systems are asked for their rules. */
const MAX_PLACES = 16;

/**
 * @throws HoldfastError `usage` `exact-without-rules` or `exact-unread`, `tree_invalid` if not everything is known that
 *   existed then
 */
async function compareSurplus(parts: RestoreParts, signal: AbortSignal | undefined): Promise<void> {
  const { request, plan, target } = parts;
  const { rules, source } = request;
  if (!rules || request.to !== null) throw wrongUsage({ problem: 'exact-without-rules', set: source.backupSet });
  if (!plan.hasTree || plan.failures.total > 0) throw new HoldfastError('tree_invalid', { reason: 'incomplete' });
  if (!plan.unread) throw wrongUsage({ problem: 'exact-unread', restorePoint: plan.point.restorePoint });
  if (!target.exists) return;
  using walk = new FolderWalk(Folder.open(target.path));
  await findSurplus(surplusSearch(parts, rules, walk, signal));
}

/** The ignore files are now those of the restored time: what they leave out was never in the backup. */
async function findSurplusAgain(parts: RestoreParts, rules: SetRules): Promise<void> {
  const { surplus } = parts.store;
  using walk = new FolderWalk(Folder.open(parts.target.path));
  surplus.searchAgain();
  await findSurplus(surplusSearch(parts, rules, walk, undefined));
  surplus.keepCommon();
}

function surplusSearch(
  { request, plan, store, target }: RestoreParts,
  rules: SetRules,
  walk: FolderWalk,
  signal: AbortSignal | undefined,
): SurplusInput {
  const without = new PathExclusion(request.without ?? [], request.paths);
  const unknown = plan.unread ?? new Set<string>();
  return { store: store.surplus, target: target.path, walk, rules, without, unknown, signal };
}

/** Batches of about 4 MiB: together the 32 MiB of blobs that a restore holds. */
const MAX_BATCHES = 8;

/** @returns the folders that keep what was replaced */
async function writeAndFinish(parts: RestoreParts): Promise<readonly string[]> {
  const { store, plan, target, deps, request, journal, run } = parts;
  const { rules } = request;
  const { downloader, pool, clock, keys } = deps;
  const { partialPrefix } = journal;
  const { bases, sessions } = plan;
  using walk = new FolderWalk(Folder.open(target.path));
  using written = new WrittenChunks(new FolderWalk(Folder.open(target.path)));
  const referenced = await collectReferenced(store.chunkListsToWrite());
  downloader.expect?.((digest) => referenced.has(digest));
  const local = {
    find: (hash: string) => store.found.findChunk(digestOf(hash)),
    forget: (hash: string) => store.found.forgetChunk(digestOf(hash)),
  };
  const source = new ChunkSource(downloader, referenced.repeated, (location) => written.open(location), local);
  using movedAside =
    request.to === null || store.found.hasCompanions
      ? new MovedAside(target, bases, new FolderWalk(Folder.open(target.path)), journal, run.changes)
      : undefined;
  run.movedAside = request.to === null ? movedAside : undefined;
  run.companionsAside = movedAside;
  const context = { run, source, pool, clock, chunkSubKeys: keys.chunk, sessions };
  const concurrency = Math.min(MAX_BATCHES, Math.max(2, downloader.concurrency) + 1);
  const choices = choicesOf(request);
  const overwrites = (path: string): boolean => plan.hasTree && choices.of(path) === 'overwrite';
  try {
    await new WritePipeline({
      store,
      bases,
      walk,
      context,
      concurrency,
      partialPrefix,
      overwrites,
    }).execute();
    run.meter.enter('finishing');
    const confirmSurplus = rules && (() => findSurplusAgain(parts, rules));
    await finishRestore({ store, walk, run, partialPrefix, target: target.path, confirmSurplus });
  } finally {
    movedAside?.undoUnfinished();
  }
  for (const { path } of target.places) {
    // A file may have taken the place of a folder.
    const failure = await pool.run('syncTarget', { path: existingFolder(path) });
    if (failure !== undefined) throw writeError(path, failure);
  }
  return movedAside?.folders ?? [];
}
