import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { SeenTree } from '../../../catalog/history.ts';
import type { TreeMount } from '../../../format/tree/record.ts';
import type { CatalogSnapshot } from '../../../catalog/entries/snapshot.ts';
import { PathNames } from '../../../format/crypto/path-names.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { incrementalBase, type IncrementalBase } from '../manifest/incremental-base.ts';
import { createdAfter, sequenceAfter } from '../manifest/next-tree.ts';
import { sendManifest, type SentManifest } from '../manifest/send-manifest.ts';
import { removeSpool, spoolTree, type TreeSpool } from '../manifest/tree-spool.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import { signalStatistics, type ContentSignals } from '../reading/content-signals.ts';
import type { BackupDependencies, BackupRequest } from '../types.ts';
import { ServiceProgress } from '../upload/service-progress.ts';
import { isSessionEnded } from '../upload/session-ended.ts';
import { uploadNeededChunks, type ChangedFile, type UploadedChunks } from '../upload/upload-chunks.ts';
import type { CompletedRun, StartedBackup } from '../../../remote/ports.ts';
import { findRun, mayBeComplete } from './find-run.ts';
import { compressionAt, type OpenTarget } from './open-target.ts';

export interface SessionParts {
  readonly target: OpenTarget;
  readonly request: BackupRequest;
  readonly dependencies: BackupDependencies;
  readonly snapshot: CatalogSnapshot;
  /** The warnings at the time of the snapshot. */
  readonly warnings: readonly RunWarning[];
  /** Of the sources and disks that may be absent, those that were, and what no restore point has, such as sockets: only the tree names them. */
  readonly absent: readonly RunWarning[];
  readonly mounts: readonly TreeMount[];
  readonly signals: ContentSignals;
  readonly meter: ProgressMeter;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** False if nothing of the newest restore point may be reused. */
  readonly mayReuse: boolean;
  /** Called before the session is completed. @throws HoldfastError if it must not be */
  readonly beforeComplete: (tree: TreeSpool) => void;
  /** The path to read an entry's content from. */
  readonly placeOf: (path: string) => string;
  readonly signal: AbortSignal | undefined;
}

/** How a session ended. */
export type SessionEnd =
  | {
      readonly kind: 'completed';
      readonly completed: CompletedRun;
      readonly head: StartedBackup;
      readonly spool: TreeSpool;
      readonly base: IncrementalBase | undefined;
      /** True if the service requested chunks that it did not name, or that the manifest does not have. */
      readonly hadUnknown: boolean;
    }
  /** Files are no longer as the manifest lists them. */
  | { readonly kind: 'changed'; readonly files: readonly ChangedFile[] }
  /** The service lacks chunks of the newest restore point. */
  | { readonly kind: 'base-lost' }
  /** The service ended the session; another one needs only what is not stored yet. */
  | { readonly kind: 'ended' };

/** One manifest of one destination, from a snapshot of the catalog, and its upload. */
export class Session implements AsyncDisposable {
  readonly #parts: SessionParts;
  readonly #base: IncrementalBase | undefined;
  readonly #spooling: Promise<TreeSpool>;
  /** The service has the manifest. */
  #isSent = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#base = parts.mayReuse ? findBase(parts) : undefined;
    this.#spooling = this.#spoolTree();
    // Its failure is thrown where the spool is needed.
    this.#spooling.catch(() => undefined);
  }

  /**
   * @param opened the session of an early upload
   * @param mayRepeat false if lost chunks are an error, since there is no other session
   * @param mayBeginAnew false if an ended session is an error
   */
  async run(opened: string | undefined, mayRepeat: boolean, mayBeginAnew: boolean): Promise<SessionEnd> {
    try {
      return await this.#run(opened, mayRepeat);
    } catch (error) {
      if (mayBeginAnew && this.#isSent && isSessionEnded(error)) return { kind: 'ended' };
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeSpool(this.#spooling);
    this.#parts.snapshot[Symbol.dispose]();
  }

  async #run(opened: string | undefined, mayRepeat: boolean): Promise<SessionEnd> {
    const { target, beforeComplete, signal } = this.#parts;
    const manifest = await this.#sendManifest(opened);
    const spool = await this.#spooling;
    this.#isSent = true;
    const { head } = manifest;
    const uploaded = await this.#upload(manifest, spool);
    if ('kind' in uploaded) {
      await target.service.backupAbort(head.session_id, signal);
      return uploaded;
    }
    beforeComplete(spool);
    const completed = await this.#complete(head, spool, mayRepeat);
    if (!completed) return { kind: 'base-lost' };
    const hadUnknown = uploaded.unknown + (head.malformed ?? 0) > 0;
    return { kind: 'completed', completed, head, spool, base: this.#base, hadUnknown };
  }

  async #spoolTree(): Promise<TreeSpool> {
    const previous = await this.#previousTree();
    const { target, request, dependencies, snapshot, warnings, absent, mounts, signal } = this.#parts;
    const { set } = request;
    const { catalog, keys, scratch } = dependencies;
    const { service, deviceId } = target;
    const { entries, run, revision } = snapshot;
    return await spoolTree({
      file: join(scratch, `tree-${run.setId}-${revision}`),
      entries,
      run,
      damaged: catalog.entries.damaged.digests(),
      treeSubKeys: keys.tree,
      keyEnvelope: target.keyEnvelope ?? request.keyEnvelope,
      footer: {
        created: createdAfter(previous, service.now()),
        roots: set.roots.map(entryPathOf),
        mounts,
        warnings: [...warnings, ...absent],
        deviceId,
        deviceName: request.deviceName,
        backupSet: set.name,
        privateNames: set.privateNames,
        sequence: sequenceAfter(previous),
        previousTree: previous?.treeHash,
      },
      reuse: this.#base,
      pause: async () => {
        throwIfInterrupted(signal);
        await nextTurn();
      },
    });
  }

  /** The newest tree of the set. The check of its restore points finds one that this computer has forgotten. */
  async #previousTree(): Promise<SeenTree | undefined> {
    const { target, request } = this.#parts;
    await target.pointWarnings.catch(() => undefined);
    return target.catalog.history.seenTree(target.deviceId, request.set.name) ?? target.previous;
  }

  #sendManifest(session: string | undefined): Promise<SentManifest> {
    const { target, request, dependencies, snapshot, signal } = this.#parts;
    const { set } = request;
    const names = set.privateNames ? new PathNames(dependencies.keys.path) : undefined;
    const { deviceId, service } = target;
    const source = { deviceId, backupSet: set.name, catalogRun: snapshot, names, spool: this.#spooling, session };
    return sendManifest({ ...source, base: this.#base }, service, signal);
  }

  /** Uploads what the service lacks. Returns why the manifest is void, if it is. */
  async #upload(
    { head, needed, bytesNeeded }: SentManifest,
    spool: TreeSpool,
  ): Promise<SessionEnd | Pick<UploadedChunks, 'unknown'>> {
    if (spool.reused.some((digest) => needed.has(digest))) return { kind: 'base-lost' };
    const { target, request, dependencies, snapshot, meter, placeOf, signal } = this.#parts;
    const { clock, pool, keys } = dependencies;
    meter.enterUpload({ chunks: needed.size, bytes: bytesNeeded });
    const progress = new ServiceProgress(target.service, clock, head.session_id, needed.size);
    try {
      const { changed, unknown } = await uploadNeededChunks(
        {
          sessionId: head.session_id,
          needed,
          spooled: spool.sources,
          catalogRun: snapshot,
          dirty: this.#base?.dirty,
        },
        {
          pool,
          uploader: target.uploader,
          chunkSubKeys: keys.chunk,
          compression: compressionAt(target, request),
          form: target.form,
          skipsOnline: request.set.onlineFiles !== 'fetch',
          observer: meter,
          progress,
          placeOf,
          signal,
        },
      );
      return changed.length > 0 ? { kind: 'changed', files: changed } : { unknown };
    } finally {
      await progress.finish();
    }
  }

  /** Returns `undefined` if chunks that were stored at init are gone and another manifest may ask for them. */
  async #complete(
    { session_id: sessionId, chunks_deduped: deduped }: StartedBackup,
    spool: TreeSpool,
    mayRepeat: boolean,
  ): Promise<CompletedRun | undefined> {
    const { files, bytes } = spool;
    const { target, dependencies, warnings, signals, meter, startedAt, signal } = this.#parts;
    const { service } = target;
    meter.update({ phase: 'committing' });
    try {
      const stats = {
        files_processed: files,
        chunks_new: meter.state.chunksUploaded,
        chunks_deduped: deduped,
        bytes_scanned: bytes,
        bytes_uploaded: meter.blobBytes,
        // The clock may have been set back meanwhile.
        duration_seconds: Math.max(0, Math.round((dependencies.clock.now() - startedAt) / 1000)),
        ...(await signalStatistics(service, warnings.length, signals, signal)),
      };
      return await service.backupComplete(sessionId, stats, signal);
    } catch (error) {
      const set = this.#parts.request.set.name;
      const found = mayBeComplete(error) && (await findRun(target, { set, session: sessionId, spool }, signal));
      if (found) return found;
      if (!mayRepeat || !isHoldfastError(error, 'chunk_missing')) throw error;
      return undefined;
    }
  }
}

function findBase({ target, request, dependencies, snapshot }: SessionParts): IncrementalBase | undefined {
  const { deviceId, catalog } = target;
  const { set, rehash } = request;
  if (rehash) return undefined;
  const seen = catalog.history.seenTree(deviceId, set.name);
  const time = dependencies.clock.now();
  const { id: keyId } = dependencies.keys;
  return incrementalBase(snapshot, { deviceId, privateNames: set.privateNames, keyId, seen, time });
}
