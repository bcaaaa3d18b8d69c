import { TREE_PATH } from '../../../protocol/path.ts';
import { isWithin } from '../../../model/entry-path.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import type { EntryVersion } from '../../../catalog/entries/entry-record.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted, untilInterrupted } from '../../../jobs/interruption.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { BackupProgress } from '../../../jobs/progress.ts';
import { reportOf } from '../backup-report.ts';
import { ProgressMeter } from '../progress-meter.ts';
import { spooledChunks } from '../manifest/tree-spool.ts';
import type { ReadSet, SharedReading } from '../reading/shared-reading.ts';
import type { BackupDependencies, BackupReport, BackupRequest, BackupTarget } from '../types.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { CLOCK_SLACK_MS } from '../../../read/source/restore-point.ts';
import { requireScannedFiles } from './require-scanned-files.ts';
import { compressionAt, openTarget, type OpenTarget } from './open-target.ts';
import { checkStoredChunks } from './check-stored.ts';
import { ChangingFiles } from './changing-files.ts';
import { NOT_STORED } from '../../../read/source/not-stored.ts';
import { Session, type SessionEnd } from './session.ts';

/** Sessions that may end with lost chunks, or be ended by the service. Files that change between scan and upload are read again one time fewer. */
const MOST_SESSIONS = 3;
export interface TargetRunParts {
  readonly target: BackupTarget;
  readonly request: BackupRequest;
  readonly dependencies: BackupDependencies;
  readonly reading: SharedReading;
  readonly onProgress: (progress: BackupProgress) => void;
  readonly signal: AbortSignal | undefined;
}

/** A run's part at one destination: it depends on the shared reading, and on no other destination. */
export class TargetRun {
  readonly meter: ProgressMeter;
  /** Resolves when the destination is open; rejects if it cannot be used. */
  readonly prepared: Promise<void>;
  readonly #parts: TargetRunParts;
  readonly #preparation = Promise.withResolvers<void>();
  readonly #startedAt: number;
  readonly #changing = new ChangingFiles();
  #filesTakenBack = 0;
  /** The service lacks chunks of the newest restore point, so nothing of that may be reused. */
  #isBaseLost = false;
  /** The service ended a session. A service that ends each would never complete one. */
  #hasEnded = false;

  constructor(parts: TargetRunParts) {
    this.#parts = parts;
    const { clock } = parts.dependencies;
    this.meter = new ProgressMeter(clock, parts.onProgress);
    this.#startedAt = clock.now();
    this.prepared = this.#preparation.promise;
    this.prepared.catch(() => undefined);
  }

  /** Gives up a destination before `execute`. */
  refuse(reason: unknown): void {
    this.#preparation.reject(reason);
  }

  /** @throws HoldfastError `source_*` before anything is sent; `interrupted`; errors of the service */
  async execute(): Promise<BackupReport> {
    const { reading } = this.#parts;
    const target = await this.#prepare();
    const { lane } = target;
    try {
      const read = await (lane ? Promise.race([reading.done, lane.failed]) : reading.done);
      await lane?.finish();
      // The restore points are those before this run's.
      await target.pointWarnings;
      if (target.newest) await reading.requireEarlier(target.newest, read);
      await this.#checkStored(target, read);
      return await this.#send(target, read);
    } finally {
      if (lane) {
        reading.early.leave(lane);
        await lane.settle();
      }
    }
  }

  async #prepare(): Promise<OpenTarget> {
    const { target, request, dependencies, reading, signal } = this.#parts;
    try {
      throwIfInterrupted(signal);
      reading.checkRoots();
      const opening = openTarget(target, request, dependencies, { observer: this.meter, signal });
      const opened = await untilInterrupted(signal, Promise.race([opening, reading.failed]));
      reading.requireMounts(opened.newest?.footer.mounts ?? []);
      if (opened.lane) reading.early.join(opened.lane);
      this.#preparation.resolve();
      return opened;
    } catch (error) {
      this.#preparation.reject(error);
      throw error;
    }
  }

  /** Stores the content of chunks under other names that another device stored wrongly, before the manifest names them. */
  async #checkStored(target: OpenTarget, read: ReadSet): Promise<void> {
    const { dependencies, reading, signal } = this.#parts;
    const damaged = await checkStoredChunks(target, dependencies, signal);
    if (damaged.length === 0) return;
    target.catalog.entries.damaged.record(damaged);
    await reading.readAgain([], read.run, (currentPath) => this.meter.update({ currentPath }));
  }

  async #send(target: OpenTarget, read: ReadSet): Promise<BackupReport> {
    const { reading } = this.#parts;
    for (let number = 1; ; number += 1) {
      const { end, report } = await this.#session(target, read, number);
      if (report) return report;
      if (end.kind === 'base-lost') this.#isBaseLost = true;
      if (end.kind === 'ended') this.#hasEnded = true;
      reading.recheckRoots();
      this.meter.update({ phase: 'scanning' });
      const changed = end.kind === 'changed' ? end.files : [];
      if (number >= MOST_SESSIONS - 1) this.#takeBack(changed, target, read);
      else await reading.readAgain(changed, read.run, (currentPath) => this.meter.update({ currentPath }));
    }
  }

  async #session(
    target: OpenTarget,
    read: ReadSet,
    number: number,
  ): Promise<{ readonly end: SessionEnd; readonly report?: BackupReport }> {
    const { request, dependencies, reading, signal } = this.#parts;
    const { catalog } = target;
    const snapshot = catalog.whole.snapshot(read.run, catalog.destination, this.#changing.instead);
    const warnings = this.#warnings();
    await using session = new Session({
      target,
      request,
      dependencies,
      snapshot,
      warnings,
      absent: [
        ...reading.absent.flatMap(({ path, reason, warning }) => (warning ? [] : [{ path, reason }])),
        ...read.update.unseen.silent,
        ...read.update.skipped,
      ],
      mounts: reading.mounts(read.run),
      signals: read.update.signals,
      meter: this.meter,
      startedAt: this.#startedAt,
      mayReuse: !this.#isBaseLost,
      beforeComplete: ({ files }) => {
        reading.recheckRoots();
        requireScannedFiles(files, read.update.counts, reading.filesReadAgain + this.#filesTakenBack);
      },
      placeOf: reading.copies.placeOf,
      signal,
    });
    const opened = number === 1 ? await target.lane?.session : undefined;
    const mayRepeat = number < MOST_SESSIONS;
    const end = await session.run(opened, mayRepeat, mayRepeat && !this.#hasEnded);
    if (end.kind !== 'completed') return { end };
    this.#commit(target, snapshot.revision, read, end);
    const unrelated = [
      ...catalog.whole.takeWarnings(),
      ...(target.service.destinationWarnings?.() ?? []),
      ...(target.service.answerWarnings?.() ?? []),
      ...(await target.pointWarnings),
      ...((await target.judgeRun?.()) ?? []),
      ...warningsOfAnswers(end, request.set.name),
    ];
    return { end, report: this.#report(target, read, end, [...warnings, ...unrelated]) };
  }

  /** The warnings of the reading, and those of this destination, which has nothing of some that others have the last version of. */
  #warnings(): readonly RunWarning[] {
    const { warnings, missing } = this.#parts.reading;
    const own = this.#changing.warnings;
    const notStored = own.filter(({ reason }) => reason === NOT_STORED);
    const isNamed = ({ path }: RunWarning): boolean => notStored.some((warning) => warning.path === path);
    const others = warnings.filter((warning) => !isNamed(warning));
    const isOther = ({ path, reason }: RunWarning): boolean =>
      reason !== NOT_STORED &&
      !others.some((warning) => warning.path === path) &&
      !missing.some((folder) => isWithin(path, folder.path));
    // First, since a tree has room for so many.
    return [...notStored, ...others, ...own.filter(isOther)];
  }

  #takeBack(files: readonly ChangedFile[], { catalog, previous }: OpenTarget, { run }: ReadSet): void {
    this.#filesTakenBack += files.length;
    const committed = catalog.trees.find(run.setId)?.revision;
    const versionOf = ({ directory, name }: ChangedFile): EntryVersion | undefined =>
      committed === undefined ? undefined : catalog.entries.versionIn(directory, name, committed);
    const isNewestKnown = committed !== undefined || previous === undefined;
    this.#changing.add(files, { versionOf, isNewestKnown, unread: this.#parts.reading.unread() });
  }

  #commit(
    { catalog, deviceId }: OpenTarget,
    revision: number,
    { run }: ReadSet,
    { completed, spool, base }: SessionEnd & { kind: 'completed' },
  ): void {
    const { dependencies, reading, request } = this.#parts;
    const { name, privateNames } = request.set;
    const { tree: newest, files, bytes, pieces } = spool;
    const { backup_id: backupId, restore_point: time, completed_at: completedAt } = completed;
    catalog.history.recordSeenTree(deviceId, name, newest);
    const point = { restore_point: time, completed_at: completedAt, backup_id: backupId, files, bytes };
    catalog.history.recordRestorePoint(deviceId, name, point, newest.treeHash);
    const tree = {
      device: deviceId,
      backupId,
      treeHash: newest.treeHash,
      privateNames,
      keyId: dependencies.keys.id,
      fullAt: base?.committed.fullAt ?? dependencies.clock.now(),
      runsSince: base ? base.committed.runsSince + 1 : 0,
    };
    const { setId } = run;
    catalog.entries.commit(catalog.destination, { setId, revision, tree, pieces, roots: reading.roots });
    const { onTree } = this.#parts.target;
    const roots = request.set.roots.map(entryPathOf);
    onTree?.({
      restorePoint: time,
      madeAt: timeOfPoint(completed),
      backupId,
      roots,
      pieces,
      chunk: spooledChunks(spool),
    });
  }

  #report(
    target: OpenTarget,
    { update }: ReadSet,
    { completed, head, spool }: SessionEnd & { kind: 'completed' },
    warnings: readonly RunWarning[],
  ): BackupReport {
    const { dependencies, request } = this.#parts;
    const { clock } = dependencies;
    return {
      ...reportOf(update, this.meter, Math.max(0, clock.now() - this.#startedAt)),
      backupId: completed.backup_id,
      restorePoint: completed.restore_point,
      filesProcessed: spool.files,
      chunksDeduped: head.chunks_deduped,
      bytesScanned: spool.bytes,
      compression: compressionAt(target, request),
      storageUsedBytes: completed.storage_used_bytes,
      warnings,
    };
  }
}

function warningsOfAnswers(
  { completed, spool, hadUnknown }: SessionEnd & { kind: 'completed' },
  set: string,
): readonly RunWarning[] {
  // A restore point is not earlier than its tree, but for the difference of the clocks.
  const isEarlier = Date.parse(completed.restore_point) + CLOCK_SLACK_MS < spool.tree.created;
  return [
    ...(isEarlier ? [{ path: TREE_PATH, reason: 'service_answer_suspicious' }] : []),
    ...(hadUnknown ? [{ path: set, reason: 'service-unknown-chunks' }] : []),
  ];
}
