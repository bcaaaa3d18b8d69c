import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BackupRun } from '../../protocol/backup.ts';
import { isReservedPath } from '../../protocol/path.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import type { SetRun } from '../catalog/entries.ts';
import type { SeenTree } from '../catalog/history.ts';
import { PathNames } from '../crypto/path-names.ts';
import { entryPathOf } from '../filesystem/entry-path.ts';
import { throwIfInterrupted, unlessInterrupted } from '../job/interruption.ts';
import type { BackupProgress, RunOptions } from '../job/progress.ts';
import { RecordedJob } from '../job/recorded-job.ts';
import type { RunWarning } from '../job/run-warning.ts';
import { checkRoot, recheckRoot, type RootState } from '../scan/source-check.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { incrementalBase, type IncrementalBase } from './manifest/incremental-base.ts';
import { createdAfter, sequenceAfter } from './manifest/next-tree.ts';
import { sendManifest, type SentManifest } from './manifest/send-manifest.ts';
import { removeSpool, spoolTree, type TreeSpool } from './manifest/tree-spool.ts';
import { ProgressMeter } from './progress-meter.ts';
import { signalStatistics } from './reading/content-signals.ts';
import { rereadChangedFiles, revertChangedFiles } from './reading/reread-changed-files.ts';
import { updateCatalog, type CatalogUpdate } from './reading/update-catalog.ts';
import type { Session } from './session.ts';
import type { BackupDependencies, BackupReport, BackupRequest } from './types.ts';
import { openEarlyUpload, type EarlyUpload } from './upload/early-upload.ts';
import { ServiceProgress } from './upload/service-progress.ts';
import { uploadNeededChunks, type ChangedFile, type ChunkUploadParts } from './upload/upload-chunks.ts';

/** Sessions of one run at most: files that change between scan and upload are read again twice. */
const MOST_SESSIONS = 3;

/**
 * Backs up a set: scans and chunks, sends the manifest, uploads the chunks that the service lacks, completes the session
 * and commits the catalog. A run can be interrupted at any point: the next one finds the chunk lists in the catalog and the
 * uploaded chunks at the service.
 *
 * @throws HoldfastError `source_*` before anything is sent; `interrupted`; errors of the service
 */
export async function runBackup(
  request: BackupRequest,
  dependencies: BackupDependencies,
  options: RunOptions<BackupProgress> = {},
): Promise<BackupReport> {
  const { catalog, clock } = dependencies;
  if (request.dryRun) return await unlessInterrupted(options.signal, new Run(request, dependencies, options).dryRun());
  const job = new RecordedJob(
    catalog.journal,
    clock,
    { kind: 'backup', backupSet: request.set.name, destination: catalog.destination },
    options,
  );
  return await job.record(async () => {
    const onProgress = (progress: BackupProgress): void => {
      job.update(progress);
      options.onProgress?.(progress);
    };
    const run = new Run(request, dependencies, { ...options, onProgress });
    const report = await unlessInterrupted(options.signal, run.execute());
    return { report, warnings: report.warnings.length };
  });
}

class Run {
  readonly #request: BackupRequest;
  readonly #dependencies: BackupDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #meter: ProgressMeter;
  readonly #startedAt: number;
  readonly #names: PathNames | undefined;
  readonly #sealing: Pick<ChunkUploadParts, 'chunkSubKey' | 'compression'>;
  readonly #warnings: RunWarning[] = [];
  /** The service lacks chunks of the newest restore point, so nothing of that may be reused. */
  #isBaseLost = false;

  constructor(request: BackupRequest, dependencies: BackupDependencies, options: RunOptions<BackupProgress>) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.#signal = options.signal;
    this.#meter = new ProgressMeter(dependencies.clock, options.onProgress);
    this.#startedAt = dependencies.clock.now();
    this.#sealing = { chunkSubKey: dependencies.keys.chunk, compression: request.set.compression ?? 'default' };
    this.#names = request.set.privateNames ? new PathNames(dependencies.keys.path) : undefined;
  }

  async dryRun(): Promise<BackupReport> {
    const known = this.#dependencies.catalog.entries.findSet(this.#request.set.name);
    const update = await this.#scanAndChunk(this.#checkRoots(known), undefined, known?.rootsDirectory);
    return this.#report(update);
  }

  async execute(): Promise<BackupReport> {
    const { entries } = this.#dependencies.catalog;
    const { name } = this.#request.set;
    const roots = this.#checkRoots(entries.findSet(name));
    const previous = await this.#previousTree();
    const run = entries.beginRun(name);

    const early = await this.#openEarlyUpload();
    const update = await this.#scanAndChunk(roots, run, run.rootsDirectory, early);
    this.#warnings.push(...update.warnings);
    // A source that disappears during the run would look like one whose files were all deleted.
    const recheckRoots = (): void => roots.forEach(recheckRoot);
    recheckRoots();

    for (let number = 1; ; number += 1) {
      const snapshot = this.#dependencies.catalog.whole.snapshot(run, this.#dependencies.catalog.destination);
      const base = this.#incrementalBase(snapshot);
      const spooling = this.#spoolTree(snapshot, previous, base);
      // Its failure is thrown where the spool is needed.
      spooling.catch(() => undefined);
      try {
        const opened = number === 1 ? await early?.session : undefined;
        const manifest = await this.#sendManifest(snapshot, base, spooling, opened);
        const session = { snapshot, update, base, spool: await spooling, head: manifest.head };
        const { isComplete, changed } = await this.#upload(session, manifest);
        if (isComplete) {
          recheckRoots();
          const completed = await this.#complete(session, number < MOST_SESSIONS);
          if (completed) return this.#commit(session, roots, completed);
        } else {
          await this.#dependencies.service.backupAbort(session.head.session_id, this.#signal);
        }
        recheckRoots();
        await this.#readAgain(run, changed, number < MOST_SESSIONS - 1);
      } finally {
        await removeSpool(spooling);
        snapshot[Symbol.dispose]();
      }
    }
  }

  #checkRoots(known: SetRun | undefined): RootState[] {
    const before = known && this.#dependencies.catalog.entries.knownRoots(known.setId);
    return this.#request.set.roots.map((root) => {
      const path = entryPathOf(root);
      if (isReservedPath(path)) throw new HoldfastError('source_unreadable', { path, problem: 'reserved-path' });
      return checkRoot(path, before?.get(path), this.#request.allowEmpty ?? false);
    });
  }

  /** Returns the tree that this computer saw last; on a new computer, the service's newest. */
  async #previousTree(): Promise<SeenTree | undefined> {
    const { catalog, previousTree } = this.#dependencies;
    return catalog.history.seenTree(this.#request.deviceId, this.#request.set.name) ?? (await previousTree());
  }

  #openEarlyUpload(): Promise<EarlyUpload | undefined> {
    const { deviceId, set } = this.#request;
    return openEarlyUpload({
      ...this.#dependencies,
      deviceId,
      backupSet: set.name,
      ...this.#sealing,
      observer: this.#meter,
      signal: this.#signal,
    });
  }

  #scanAndChunk(
    roots: readonly RootState[],
    run: SetRun | undefined,
    rootsDirectory: number | undefined,
    early?: EarlyUpload,
  ): Promise<CatalogUpdate> {
    const { catalog, pool } = this.#dependencies;
    return updateCatalog({
      request: this.#request,
      roots,
      entries: catalog.entries,
      run,
      rootsDirectory,
      pool,
      observer: {
        onScanned: ({ files, bytes }, currentPath) =>
          this.#meter.update({ filesScanned: files, bytesScanned: bytes, currentPath }),
        onRead: (currentPath) => this.#meter.update({ currentPath }),
      },
      signal: this.#signal,
      early,
    });
  }

  #incrementalBase(snapshot: CatalogSnapshot): IncrementalBase | undefined {
    const { catalog, clock } = this.#dependencies;
    const { deviceId, set, rehash } = this.#request;
    if (this.#isBaseLost || rehash) return undefined;
    const seen = catalog.history.seenTree(deviceId, set.name);
    return incrementalBase(snapshot, {
      deviceId,
      privateNames: set.privateNames,
      seen,
      time: clock.now(),
    });
  }

  #spoolTree(
    snapshot: CatalogSnapshot,
    previous: SeenTree | undefined,
    reuse: IncrementalBase | undefined,
  ): Promise<TreeSpool> {
    const { catalog, keys, service, scratch } = this.#dependencies;
    const { set, deviceId, keyEnvelope } = this.#request;
    return spoolTree({
      file: join(scratch, `tree-${snapshot.run.setId}-${snapshot.revision}`),
      entries: snapshot.entries,
      run: snapshot.run,
      damaged: catalog.entries.damaged.digests(),
      treeSubKey: keys.tree,
      keyEnvelope,
      footer: {
        created: createdAfter(previous, service.now()),
        roots: set.roots.map(entryPathOf),
        warnings: this.#warnings,
        deviceId,
        backupSet: set.name,
        privateNames: set.privateNames,
        sequence: sequenceAfter(previous),
        previousTree: previous?.treeHash,
      },
      reuse,
      pause: async () => {
        throwIfInterrupted(this.#signal);
        await nextTurn();
      },
    });
  }

  /** @param opened the session of an early upload */
  #sendManifest(
    snapshot: CatalogSnapshot,
    base: IncrementalBase | undefined,
    spool: Promise<TreeSpool>,
    opened: string | undefined,
  ): Promise<SentManifest> {
    const { deviceId, set } = this.#request;
    const source = {
      deviceId,
      backupSet: set.name,
      catalogRun: snapshot,
      names: this.#names,
      spool,
      base,
      session: opened,
    };
    return sendManifest(source, this.#dependencies.service, this.#signal);
  }

  /** Uploads what the service lacks. The manifest is void if files have changed or the service lost a reused piece. */
  async #upload(
    { snapshot, base, spool, head }: Session,
    { needed, bytesNeeded }: SentManifest,
  ): Promise<{ readonly isComplete: boolean; readonly changed: readonly ChangedFile[] }> {
    if (spool.reused.some((digest) => needed.has(digest))) {
      this.#isBaseLost = true;
      return { isComplete: false, changed: [] };
    }
    const { service, clock, pool, uploader } = this.#dependencies;
    this.#meter.enterUpload({ chunks: needed.size, bytes: bytesNeeded });
    const progress = new ServiceProgress(service, clock, head.session_id, needed.size);
    try {
      const changed = await uploadNeededChunks(
        {
          sessionId: head.session_id,
          needed,
          spooled: spool.sources,
          catalogRun: snapshot,
          dirty: base?.dirty,
        },
        { pool, uploader, ...this.#sealing, observer: this.#meter, progress, signal: this.#signal },
      );
      return { isComplete: changed.length === 0, changed };
    } finally {
      await progress.finish();
    }
  }

  /** Returns `undefined` if chunks that were stored at init are gone and another manifest may ask for them. */
  async #complete({ head, spool, update }: Session, mayRepeat: boolean): Promise<BackupRun | undefined> {
    const { service, clock } = this.#dependencies;
    this.#meter.update({ phase: 'committing' });
    try {
      const stats = {
        files_processed: spool.files,
        chunks_new: this.#meter.state.chunksUploaded,
        chunks_deduped: head.chunks_deduped,
        bytes_scanned: spool.bytes,
        bytes_uploaded: this.#meter.blobBytes,
        duration_seconds: Math.round((clock.now() - this.#startedAt) / 1000),
        ...(await signalStatistics(service, this.#warnings.length, update.signals, this.#signal)),
      };
      return await service.backupComplete(head.session_id, stats, this.#signal);
    } catch (error) {
      if (!mayRepeat || !isHoldfastError(error, 'chunk_missing')) throw error;
      this.#isBaseLost = true;
      return undefined;
    }
  }

  async #readAgain(run: SetRun, changed: readonly ChangedFile[], mayReadAgain: boolean): Promise<void> {
    this.#meter.update({ phase: 'scanning' });
    const { catalog } = this.#dependencies;
    const catalogRun = { entries: catalog.entries, run };
    const onWarning = (warning: RunWarning): void => {
      if (!this.#warnings.some(({ path }) => path === warning.path)) this.#warnings.push(warning);
    };
    const onRead = (currentPath: string): void => this.#meter.update({ currentPath });
    if (!mayReadAgain) {
      revertChangedFiles(changed, catalogRun, catalog.trees.find(run.setId)?.revision, onWarning);
      return;
    }
    const { pool } = this.#dependencies;
    await rereadChangedFiles(changed, { catalogRun, pool, observer: { onRead, onWarning }, signal: this.#signal });
  }

  #commit(session: Session, roots: readonly RootState[], completed: BackupRun): BackupReport {
    const { snapshot, base, spool, update } = session;
    const { catalog, clock } = this.#dependencies;
    const { deviceId, set } = this.#request;
    const { tree: newest, files, bytes } = spool;
    const { backup_id: backupId, restore_point: restorePoint } = completed;
    catalog.history.recordSeenTree(deviceId, set.name, newest);
    catalog.history.recordRestorePoint(deviceId, set.name, {
      restore_point: restorePoint,
      backup_id: backupId,
      files,
      bytes,
    });
    const tree = {
      device: deviceId,
      backupId,
      treeHash: newest.treeHash,
      privateNames: set.privateNames,
      fullAt: base?.committed.fullAt ?? clock.now(),
      runsSince: base ? base.committed.runsSince + 1 : 0,
    };
    const { revision, run } = snapshot;
    const { setId } = run;
    catalog.entries.commit(catalog.destination, { setId, revision, tree, pieces: spool.pieces, roots });
    return {
      ...this.#report(update),
      backupId,
      restorePoint,
      filesProcessed: files,
      chunksDeduped: session.head.chunks_deduped,
      bytesScanned: bytes,
      storageUsedBytes: completed.storage_used_bytes,
      warnings: this.#warnings,
    };
  }

  /** The report of a dry run. */
  #report(update: CatalogUpdate): BackupReport {
    return {
      backupId: undefined,
      restorePoint: undefined,
      filesProcessed: update.counts.files,
      chunksNew: this.#meter.state.chunksUploaded,
      chunksDeduped: 0,
      bytesScanned: update.counts.bytes,
      bytesNew: this.#meter.state.bytesUploaded,
      bytesUploaded: this.#meter.blobBytes,
      storageUsedBytes: undefined,
      bytesChanged: update.bytesChanged,
      durationSeconds: (this.#dependencies.clock.now() - this.#startedAt) / 1000,
      warnings: update.warnings,
      excluded: update.exclusions,
    };
  }
}
