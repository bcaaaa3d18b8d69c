import { join } from 'node:path';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { Folder } from '../filesystem/folder.ts';
import { FolderWalk } from '../filesystem/folder-walk.ts';
import { throwIfInterrupted } from '../job/interruption.ts';
import type { RestoreProgress, RunOptions } from '../job/progress.ts';
import { ChunkSource, type ChunkPlace } from './chunks/chunk-source.ts';
import { detectConflicts, type ConflictSummary } from './conflicts/conflicts.ts';
import { ContentComparison } from './conflicts/content-comparison.ts';
import { CountingDownloader } from './counting-downloader.ts';
import { finishRestore } from './write/finish.ts';
import { Pipeline } from './write/pipeline.ts';
import { PathExclusion } from './conflicts/path-exclusion.ts';
import { makePlan, type Plan } from './plan/plan.ts';
import { PlanStore } from './plan/plan-store.ts';
import { recordDamagedChunks } from './plan/record-damage.ts';
import { recordJob } from './record-job.ts';
import { findRepeated } from './chunks/repeated-chunks.ts';
import { ProgressMeter } from './progress-meter.ts';
import { RestoreRun } from './write/restore-run.ts';
import { PARTIAL_PREFIX, ResumeJournal } from './conflicts/resume-journal.ts';
import { syncFailure } from './write/sync-target.ts';
import { checkSpace, checkWritable, openForWriting, resolveTarget, type Target } from './write/target.ts';
import type { RestoreDependencies, RestoreReport, RestoreRequest } from './types.ts';
import type { WrittenChunk } from './chunks/packed-chunks.ts';

/**
 * Restores a set, or some paths of it, as it stood at a time, into a folder.
 *
 * What was restored is on disk when it resolves. Files that fail are named in the report and the others go on. What stops a restore before it writes is thrown:
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `target_conflict`
 *   (details `{target, conflicts, total}`), `target_inside_source` (`{target, source}`), `target_unwritable`
 *   (`{target, reason}`), `target_full` (`{target, needed, free}`), `tree_invalid`, `interrupted`, and what the
 *   service throws
 */
export async function runRestore(
  request: RestoreRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<RestoreReport> {
  const run = (inner: RunOptions<RestoreProgress>): Promise<RestoreReport> => planAndRestore(request, deps, inner);
  if (request.dryRun) return await run(options);
  const { source, paths, without = [], conflict, to: target } = request;
  const { deviceId, backupSet, at } = source;
  const asked = { deviceId, at, paths, without, ...(conflict === undefined ? {} : { conflict }) };
  using untilRecorded = new DisposableStack();
  const { untilTold = untilRecorded } = options;
  return await recordJob({ kind: 'restore', backupSet, target, request: asked }, deps, { ...options, untilTold }, run);
}

async function planAndRestore(
  request: RestoreRequest,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress>,
): Promise<RestoreReport> {
  const target = resolveTarget(request.to, request.sourceRoots);
  const meter = new ProgressMeter('restore', deps.clock, options.onProgress);
  const downloader = new CountingDownloader(deps.downloader, (bytes) => meter.downloaded(bytes));
  using store = new PlanStore(deps.scratch);
  const counted = { ...deps, downloader };
  const { source, paths, dryRun = false } = request;
  const plan = await makePlan({ source, paths, isLook: dryRun }, store, counted, options.signal);
  throwIfInterrupted(options.signal);
  return await new Restore({ request, deps: counted, options, target, meter, store, plan }).execute();
}

interface RestoreParts {
  readonly request: RestoreRequest;
  readonly deps: RestoreDependencies;
  readonly options: RunOptions<RestoreProgress>;
  readonly target: Target;
  readonly meter: ProgressMeter;
  readonly store: PlanStore;
  readonly plan: Plan;
}

class Restore {
  readonly #parts: RestoreParts;
  readonly #journal: ResumeJournal;
  readonly #run: RestoreRun;

  constructor(parts: RestoreParts) {
    this.#parts = parts;
    const { request, deps, plan, target, meter, options } = parts;
    const { deviceId, backupSet } = request.source;
    const identity = {
      deviceId,
      backupSet,
      restorePoint: plan.restorePoint,
      paths: request.paths.toSorted(),
      without: (request.without ?? []).toSorted(),
      target: target.path,
    };
    this.#journal = request.dryRun
      ? ResumeJournal.lookAt(deps.scratch, identity, deps.clock.now())
      : ResumeJournal.open(deps.scratch, identity, deps.clock.now());
    const asRoot = process.getuid?.() === 0;
    this.#run = new RestoreRun(plan.failures, meter, asRoot, deps.clock, options.signal);
  }

  async execute(): Promise<RestoreReport> {
    let finished = false;
    try {
      const report = await this.#execute();
      finished = report.failuresTotal === 0 && !this.#parts.request.dryRun;
      return report;
    } finally {
      this.#journal.close();
      // Killed from here on, it is for the next run as if it were killed a moment earlier.
      if (finished) this.#parts.options.untilTold?.defer(() => this.#journal.remove());
    }
  }

  async #execute(): Promise<RestoreReport> {
    const { request, target, meter } = this.#parts;
    const summary = await this.#gather();
    const { dryRun, conflict } = request;
    if (dryRun) {
      checkWritable(target);
      return this.#report(summary);
    }
    if (summary.conflictsTotal > 0 && conflict === undefined) {
      const { conflictsTotal: total } = summary;
      throw new HoldfastError('target_conflict', {
        target: target.path,
        conflicts: this.#conflictPaths(summary),
        total,
      });
    }
    checkSpace(target, summary.needed);
    openForWriting(target, `${PARTIAL_PREFIX}${this.#journal.id}-probe`);
    this.#journal.begin();
    meter.begin({
      filesTotal: summary.files,
      bytesTotal: summary.bytes,
      filesDone: summary.resumed,
      bytesDone: summary.resumedBytes,
    });
    await this.#write();
    const { plan, deps } = this.#parts;
    recordDamagedChunks(plan, request.source, new Map(), false, deps.catalog);
    this.#run.throwIfFailed();
    meter.end();
    return this.#report(summary);
  }

  async #gather(): Promise<ConflictSummary> {
    const { request, store, plan, target, deps, options } = this.#parts;
    using walk = target.exists ? new FolderWalk(Folder.open(target.path)) : undefined;
    const { conflict: choice, dryRun = false, without = [], paths } = request;
    const leftOut = new PathExclusion(without, paths);
    const { bases } = plan;
    const content = new ContentComparison(store, deps.pool, options.signal);
    return await detectConflicts({ store, bases, walk, leftOut, journal: this.#journal, choice, content, dryRun });
  }

  async #write(): Promise<void> {
    const { store, plan, target, deps, request, meter } = this.#parts;
    const { partialPrefix } = this.#journal;
    const run = this.#run;
    using walk = new FolderWalk(Folder.open(target.path));
    using readers = new ChunkReaders(new FolderWalk(Folder.open(target.path)));
    const source = new ChunkSource(deps.downloader, await findRepeated(store.chunkListsToWrite()), (place) =>
      readers.open(place),
    );
    const writing = {
      run,
      source,
      pool: deps.pool,
      clock: deps.clock,
      chunkSubKey: deps.keys.chunk,
      sessions: plan.sessions,
    };
    const atOnce = Math.min(MOST_AT_ONCE, Math.max(2, deps.downloader.concurrency) + 1);
    const overwrite = request.conflict === 'overwrite';
    await new Pipeline({ store, bases: plan.bases, walk, writing, atOnce, partialPrefix, overwrite }).execute();
    meter.enter('finishing');
    await finishRestore({ store, walk, run, partialPrefix });
    const failure = await deps.pool.run('syncTarget', { path: target.path });
    if (failure !== undefined) throw syncFailure(target.path, failure);
  }

  #report(summary: ConflictSummary): RestoreReport {
    const { plan, meter, request } = this.#parts;
    const run = this.#run;
    const { dryRun } = request;
    return {
      restorePoint: plan.restorePoint,
      filesRestored: dryRun ? summary.files : run.filesRestored,
      filesSkipped: summary.skipped,
      filesResumed: summary.resumed,
      bytesWritten: dryRun ? summary.bytes - summary.resumedBytes : run.bytesWritten,
      bytesDownloaded: meter.state.bytesDownloaded,
      failures: run.failures.named,
      failuresTotal: run.failures.total,
      stoppedBy: run.stoppedBy,
      warnings: [...plan.warnings, ...run.warnings()],
      notes: run.ownershipLeftOut ? ['ownership-not-restored'] : [],
      conflicts: this.#conflictPaths(summary),
      conflictsTotal: summary.conflictsTotal,
    };
  }

  #conflictPaths(summary: ConflictSummary): readonly string[] {
    return summary.conflicts.map((path) => join(this.#parts.target.path, path));
  }
}

/** Batches of about 4 MiB: together the 32 MiB of blobs that a restore holds. */
const MOST_AT_ONCE = 8;

/** Opens the folders of files that a repeated chunk is read from; they stay open until the restore ends. */
class ChunkReaders implements Disposable {
  readonly #walk: FolderWalk;
  readonly #held: Folder[] = [];

  constructor(walk: FolderWalk) {
    this.#walk = walk;
  }

  open(place: ChunkPlace): WrittenChunk | undefined {
    const names = place.target.split('/');
    const name = names.pop()!;
    const folder = this.#enter(names);
    if (!folder) return undefined;
    if (this.#held.at(-1) !== folder) this.#hold(folder);
    return { path: folder.pathOf(name), offset: place.offset, length: place.length };
  }

  #enter(names: readonly string[]): Folder | undefined {
    try {
      return this.#walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #hold(folder: Folder): void {
    this.#held.push(folder.retain());
    // A batch that was given one has long been written when so many others have been.
    if (this.#held.length > HELD_FOLDERS) this.#held.shift()!.release();
  }

  [Symbol.dispose](): void {
    for (const folder of this.#held) folder.release();
    this.#walk[Symbol.dispose]();
  }
}

const HELD_FOLDERS = 1024;
