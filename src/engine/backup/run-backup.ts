import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BackupRun } from '../../protocol/backup.ts';
import { isReservedPath } from '../../protocol/path.ts';
import type { CommittedTree } from '../catalog/committed-tree.ts';
import type { SetRun } from '../catalog/entries.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { DigestSet } from '../chunk/digest-set.ts';
import { PathNames } from '../crypto/path-names.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import { entryPathOf } from '../filesystem/entry-path.ts';
import { throwIfInterrupted, unlessInterrupted } from '../job/interruption.ts';
import type { BackupProgress, RunOptions } from '../job/progress.ts';
import { RecordedJob } from '../job/recorded-job.ts';
import { checkRoot, recheckRoot, type RootState } from '../scan/source-check.ts';
import { collect, type Collected } from './collect.ts';
import { signalStats, type ContentSignals } from './content-signals.ts';
import { openEarlyUpload, type EarlyUpload } from './early-upload.ts';
import { ProgressMeter } from './progress-meter.ts';
import { ProgressReports } from './progress-reports.ts';
import { giveUpReading, readAgain } from './read-again.ts';
import { sendManifest } from './send-manifest.ts';
import { sinceCommit, type SinceCommit } from './since-commit.ts';
import { removeSpool, spoolTree, type TreeSpool } from './tree-spool.ts';
import type { BackupDependencies, BackupReport, BackupRequest } from './types.ts';
import type { RunWarning } from '../job/run-warning.ts';
import { uploadNeeded, type ChangedFile, type UploadObserver, type UploadSource } from './upload.ts';

/** Manifests that a run sends at most: a file that changes in between is read again twice. */
const SESSIONS = 3;

/**
 * Backs a set up: scan, read what changed, send the manifest, upload what the service lacks, complete. A run that is
 * interrupted anywhere leaves nothing wrong: the next one finds the chunk lists in the catalog and the chunks at the
 * service.
 *
 * @throws HoldfastError `source_*` before anything is sent; `interrupted`; `sources_keep_changing` never: a file that
 * will not hold still is named in the warnings
 */
export async function runBackup(
  request: BackupRequest,
  dependencies: BackupDependencies,
  options: RunOptions<BackupProgress> = {},
): Promise<BackupReport> {
  const { catalog, clock } = dependencies;
  if (request.dryRun) return await unlessInterrupted(options.signal, new Run(request, dependencies, options).execute());
  const job = new RecordedJob(catalog.journal, clock, 'backup', request.set.name, options);
  return await job.record(async () => {
    const onProgress = (progress: BackupProgress): void => {
      job.step(progress.phase);
      options.onProgress?.(progress);
    };
    const run = new Run(request, dependencies, { ...options, onProgress });
    const report = await unlessInterrupted(options.signal, run.execute());
    return { report, warnings: report.warnings.length };
  });
}

/** One init, its uploads, and what they came to. */
interface Session {
  readonly completed: BackupRun | undefined;
  readonly changed: readonly ChangedFile[];
}

class Run {
  readonly #request: BackupRequest;
  readonly #dependencies: BackupDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #meter: ProgressMeter;
  readonly #startedAt: number;
  readonly #names: PathNames | undefined;
  readonly #warnings: RunWarning[] = [];
  /** Whether nothing may be taken over from the newest restore point. */
  #anew = false;
  #roots: readonly RootState[] = [];
  #chunksNew = 0;
  #bytesUploaded = 0;
  #chunksDeduped = 0;
  #signals: ContentSignals | undefined;

  constructor(request: BackupRequest, dependencies: BackupDependencies, options: RunOptions<BackupProgress>) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.#signal = options.signal;
    this.#meter = new ProgressMeter(dependencies.clock, options.onProgress);
    this.#startedAt = dependencies.clock.now();
    this.#names = request.set.privateNames ? new PathNames(dependencies.keys.path) : undefined;
  }

  async execute(): Promise<BackupReport> {
    const { entries } = this.#dependencies.catalog;
    const known = entries.findSet(this.#request.set.name);
    const roots = this.#checkRoots(known);
    this.#roots = roots;
    if (this.#request.dryRun) return this.#report(await this.#collect(roots, undefined, known?.rootsDirectory));
    const previous = await this.#previousTree();
    const run = entries.beginRun(this.#request.set.name);
    const early = await this.#openEarly();
    const collected = await this.#collect(roots, run, run.rootsDirectory, early);
    this.#warnings.push(...collected.warnings);
    this.#signals = collected.signals;
    this.#recheckRoots();
    for (let session = 1; ; session += 1) {
      const since = this.#sinceCommit(run);
      const spooling = this.#spool(run, previous, since);
      // Whoever needs the spool hears of it; until then it fails silently.
      spooling.catch(() => undefined);
      try {
        const opened = session === 1 ? await early?.session : undefined;
        const { completed, changed } = await this.#session(run, since, spooling, opened, session < SESSIONS);
        if (completed) return this.#commit(collected, roots, run, previous, since, await spooling, completed);
        this.#recheckRoots();
        await this.#readAgain(run, changed, session < SESSIONS - 1);
      } finally {
        await removeSpool(spooling);
      }
    }
  }

  /** A source that goes away in the middle looks like one whose files were all deleted. */
  #recheckRoots(): void {
    this.#roots.forEach(recheckRoot);
  }

  #checkRoots(known: SetRun | undefined): RootState[] {
    const before = known && this.#dependencies.catalog.entries.knownRoots(known.setId);
    return this.#request.set.roots.map((root) => {
      const path = entryPathOf(root);
      if (isReservedPath(path)) throw new HoldfastError('source_unreadable', { path, problem: 'reserved-path' });
      return checkRoot(path, before?.get(path), this.#request.allowEmpty ?? false);
    });
  }

  #collect(
    roots: readonly RootState[],
    run: SetRun | undefined,
    rootsDirectory: number | undefined,
    early?: EarlyUpload,
  ): Promise<Collected> {
    const observer = {
      onScanned: (counts: { files: number; bytes: number }, currentPath: string | undefined) =>
        this.#meter.update({ filesScanned: counts.files, bytesScanned: counts.bytes, currentPath }),
      onRead: (path: string) => this.#meter.update({ currentPath: path }),
    };
    const { catalog, pool } = this.#dependencies;
    return collect(this.#request, roots, catalog.entries, run, rootsDirectory, pool, observer, this.#signal, early);
  }

  #openEarly(): Promise<EarlyUpload | undefined> {
    const { keys } = this.#dependencies;
    const { deviceId, set } = this.#request;
    const early = { ...this.#dependencies, deviceId, backupSet: set.name, chunkSubKey: keys.chunk };
    return openEarlyUpload(early, this.#uploadObserver(), this.#signal);
  }

  #uploadObserver(reports?: ProgressReports): UploadObserver {
    return {
      onUploaded: (chunks, plaintextBytes, blobBytes, path) => {
        this.#chunksNew += chunks;
        this.#bytesUploaded += blobBytes;
        reports?.onUploaded(chunks, blobBytes);
        this.#meter.uploaded(chunks, plaintextBytes, path);
      },
    };
  }

  /** The tree that this run's follows: what we saw last, or on a new computer what the service has. */
  async #previousTree(): Promise<SeenTree | undefined> {
    const { catalog, previousTree } = this.#dependencies;
    return catalog.history.seenTree(this.#request.deviceId, this.#request.set.name) ?? (await previousTree());
  }

  #sinceCommit(run: SetRun): SinceCommit | undefined {
    const { catalog, clock } = this.#dependencies;
    const { deviceId, set, rehash } = this.#request;
    if (this.#anew || rehash) return undefined;
    const seen = catalog.history.seenTree(deviceId, set.name);
    return sinceCommit(catalog.entries, run, { deviceId, privateNames: set.privateNames, seen, time: clock.now() });
  }

  #spool(run: SetRun, previous: SeenTree | undefined, reuse: SinceCommit | undefined): Promise<TreeSpool> {
    const { catalog, keys, service, scratch } = this.#dependencies;
    const { set, deviceId, keyEnvelope } = this.#request;
    return spoolTree({
      file: join(scratch, `tree-${run.setId}-${run.run}`),
      entries: catalog.entries,
      run,
      names: this.#names,
      treeSubKey: keys.tree,
      keyEnvelope,
      footer: {
        roots: set.roots.map(entryPathOf),
        warnings: this.#warnings,
        deviceId,
        backupSet: set.name,
        privateNames: set.privateNames,
        sequence: (previous?.sequence ?? 0) + 1,
        previousTree: previous?.treeHash,
      },
      reuse,
      now: service.now(),
      pause: async () => {
        throwIfInterrupted(this.#signal);
        await nextTurn();
      },
    });
  }

  /**
   * @param opened the session that chunks were uploaded in already
   * @param mayRepeat whether a manifest that the service no longer can complete is worth another
   */
  async #session(
    run: SetRun,
    since: SinceCommit | undefined,
    spooling: Promise<TreeSpool>,
    opened: string | undefined,
    mayRepeat: boolean,
  ): Promise<Session> {
    const { service, catalog, clock } = this.#dependencies;
    const { deviceId, set } = this.#request;
    const { head, needed, bytesNeeded } = await sendManifest(
      {
        deviceId,
        backupSet: set.name,
        entries: catalog.entries,
        run,
        names: this.#names,
        spool: spooling,
        since,
        session: opened,
      },
      service,
      this.#signal,
    );
    const spool = await spooling;
    this.#chunksDeduped = head.chunks_deduped;
    if (spool.reused.some((digest) => needed.has(digest))) {
      // The service has lost a piece of the tree before: it has to be made again.
      this.#anew = true;
      await service.backupAbort(head.session_id, this.#signal);
      return { completed: undefined, changed: [] };
    }
    const { chunksUploaded, bytesUploaded } = this.#meter.state;
    this.#meter.update({
      phase: 'uploading',
      chunksTotal: chunksUploaded + needed.size,
      bytesTotal: bytesUploaded + bytesNeeded,
    });
    const reports = new ProgressReports(service, clock, head.session_id, needed.size);
    const changed = await this.#upload(
      head.session_id,
      needed,
      spool,
      { entries: catalog.entries, run, ...(since ? { dirty: since.dirty } : {}) },
      reports,
    );
    if (changed.length > 0) {
      await service.backupAbort(head.session_id, this.#signal);
      return { completed: undefined, changed };
    }
    this.#recheckRoots();
    this.#meter.update({ phase: 'committing' });
    try {
      return { completed: await this.#complete(head.session_id, spool), changed };
    } catch (error) {
      // Chunks that were there at init are gone: the next init asks for them.
      if (!mayRepeat || !isHoldfastError(error, 'chunk_missing')) throw error;
      this.#anew = true;
      return { completed: undefined, changed };
    }
  }

  async #upload(
    sessionId: string,
    needed: DigestSet,
    spool: TreeSpool,
    source: UploadSource,
    reports: ProgressReports,
  ): Promise<readonly ChangedFile[]> {
    const { pool, uploader, keys } = this.#dependencies;
    try {
      const tools = { pool, uploader, chunkSubKey: keys.chunk };
      const observer = this.#uploadObserver(reports);
      return await uploadNeeded(sessionId, needed, spool.sources, source, tools, observer, this.#signal);
    } finally {
      await reports.finish();
    }
  }

  async #complete(sessionId: string, spool: TreeSpool): Promise<BackupRun> {
    const { service } = this.#dependencies;
    const stats = {
      files_processed: spool.files,
      chunks_new: this.#chunksNew,
      chunks_deduped: this.#chunksDeduped,
      bytes_scanned: spool.bytes,
      bytes_uploaded: this.#bytesUploaded,
      duration_seconds: Math.round((this.#dependencies.clock.now() - this.#startedAt) / 1000),
      ...(await signalStats(service, this.#warnings.length, this.#signals, this.#signal)),
    };
    return service.backupComplete(sessionId, stats, this.#signal);
  }

  async #readAgain(run: SetRun, changed: readonly ChangedFile[], mayReadAgain: boolean): Promise<void> {
    const { catalog, pool } = this.#dependencies;
    this.#meter.update({ phase: 'scanning' });
    const observer = {
      onRead: (path: string) => this.#meter.update({ currentPath: path }),
      onWarning: (warning: RunWarning) => this.#warn(warning),
    };
    if (mayReadAgain) await readAgain(changed, catalog.entries, run, pool, observer, this.#signal);
    else giveUpReading(changed, catalog.entries, run, observer);
  }

  #warn(warning: RunWarning): void {
    if (!this.#warnings.some((other) => other.path === warning.path)) this.#warnings.push(warning);
  }

  #commit(
    collected: Collected,
    roots: readonly RootState[],
    run: SetRun,
    previous: SeenTree | undefined,
    since: SinceCommit | undefined,
    spool: TreeSpool,
    completed: BackupRun,
  ): BackupReport {
    const { catalog, clock } = this.#dependencies;
    const { deviceId, set } = this.#request;
    catalog.history.recordSeenTree(deviceId, set.name, {
      sequence: (previous?.sequence ?? 0) + 1,
      treeHash: spool.treeHash,
    });
    catalog.history.recordRestorePoint(deviceId, set.name, {
      restore_point: completed.restore_point,
      backup_id: completed.backup_id,
      files: spool.files,
      bytes: spool.bytes,
    });
    const tree: CommittedTree = {
      device: deviceId,
      backupId: completed.backup_id,
      treeHash: spool.treeHash,
      privateNames: set.privateNames,
      fullAt: since?.committed.fullAt ?? clock.now(),
      runsSince: since ? since.committed.runsSince + 1 : 0,
    };
    catalog.entries.commitRun(run, roots, tree, spool.pieces);
    return this.#report(collected, spool, completed);
  }

  #report(collected: Collected, spool?: TreeSpool, completed?: BackupRun): BackupReport {
    return {
      backupId: completed?.backup_id,
      restorePoint: completed?.restore_point,
      filesProcessed: spool?.files ?? collected.counts.files,
      chunksNew: this.#chunksNew,
      chunksDeduped: this.#chunksDeduped,
      bytesScanned: spool?.bytes ?? collected.counts.bytes,
      bytesUploaded: this.#bytesUploaded,
      storageUsedBytes: completed?.storage_used_bytes,
      bytesChanged: collected.bytesChanged,
      durationSeconds: (this.#dependencies.clock.now() - this.#startedAt) / 1000,
      warnings: completed ? this.#warnings : collected.warnings,
      excluded: collected.exclusions,
    };
  }
}
