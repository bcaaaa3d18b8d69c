import { randomBytes } from 'node:crypto';
import { HoldfastError } from '../base/errors/errors.ts';
import { formatChunkHash } from '../protocol/chunk-hash.ts';
import type { ChunkReference } from '../protocol/chunk.ts';
import type { BackupInitResponseHead, BackupProgressRequest, BackupRun, BackupStats } from '../protocol/backup.ts';
import type { Device } from '../protocol/devices.ts';
import type { BackupSet, Capability, RestorePoint } from '../protocol/extensions.ts';
import { isReservedPath, KEYS_PATH, TREE_PATH } from '../protocol/path.ts';
import type { RestoreFileEntry, RestoreManifestHead, RestoreManifestRequest } from '../protocol/restore.ts';
import { completionOf } from '../base/point-time.ts';
import { formatTimestamp } from '../protocol/timestamp.ts';
import type {
  BlobUploader,
  DamagedPoints,
  MalformedEntry,
  ManifestRequest,
  NewBlobs,
  SealedBlob,
  ServiceClient,
} from '../remote/ports.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import { judgeRun, mostFilesOf, reportedActivity } from '../rules/ransomware.ts';
import { pointOf } from './backup/point-of.ts';
import { pointTime } from './backup/point-time.ts';
import { timeWarnings } from './backup/time-warnings.ts';
import { BackupSession } from './backup/backup-session.ts';
import { finishPacks } from './backup/finish-packs.ts';
import { distrustUnnamedPacks } from './backup/distrust-packs.ts';
import { PackWriter } from './backup/pack-writer.ts';
import { damagedPointsOf, unreadablePointsAt } from './check/damaged-points.ts';
import { markDamagedChunks } from './check/mark-damaged-chunks.ts';
import { UnnamedTrees } from './check/unnamed-trees.ts';
import type { Fact, FactOf } from '../format/repository/facts.ts';
import { copiesOfKind } from '../format/repository/pack-file.ts';
import { listDevices } from './list-devices.ts';
import { isCheckpointDue, writeCheckpointIfDue, WrongProjectionError } from './ledger/checkpoint.ts';
import { storeSecondCopies } from './metadata/second-copies.ts';
import { PackComparison } from './packs/compare-packs.ts';
import { confirmUnreported, seePacks } from './packs/confirm-packs.ts';
import type { SetName } from './projection/points.ts';
import { REPOSITORY_CAPABILITIES } from './repository-capabilities.ts';
import type { Repository } from './repository.ts';
import { digestOf } from '../format/chunks/digest.ts';

/** The most chunks that are named as missing. */
const MISSING_LISTED = 10_000;
const NEAREST = 5;

/** Backs up to a repository and restores from it, in the place of a service. */
export class RepositoryClient implements ServiceClient, BlobUploader {
  /** The tree has everything: only reserved entries are listed. */
  readonly manifests = 'none';
  readonly keepsPastTimes = true;
  readonly concurrency = 3;
  readonly #repository: Repository;
  readonly #writer: PackWriter;
  readonly #sessions = new Map<string, BackupSession>();
  /** The restore point that was added last, by set. */
  readonly #added = new Map<string, string>();
  readonly #comparison: PackComparison;
  readonly #unnamed: UnnamedTrees;
  #isConfirmed = false;
  #timeWarnings: readonly RunWarning[] = [];

  constructor(repository: Repository) {
    const { storage, projection, repositoryKeys, id, parity } = repository;
    this.#repository = repository;
    this.#comparison = new PackComparison(repository);
    this.#unnamed = new UnnamedTrees(repository);
    this.#writer = new PackWriter({ storage, projection, keys: repositoryKeys.pack, repository: id, parity });
  }

  now(): number {
    return this.#repository.clock.now();
  }

  async capabilities(): Promise<ReadonlySet<Capability>> {
    return REPOSITORY_CAPABILITIES;
  }

  async backupOpen(
    { deviceId, backupSet }: { deviceId: string; backupSet: string },
    signal?: AbortSignal,
  ): Promise<string> {
    return (await this.#open({ device: deviceId, set: backupSet }, signal)).id;
  }

  async backupInit(
    { deviceId, backupSet, files, delta, sessionId }: ManifestRequest,
    onNeeded: (chunks: readonly ChunkReference[]) => void,
    signal?: AbortSignal,
  ): Promise<BackupInitResponseHead> {
    const set = { device: deviceId, set: backupSet };
    const session = sessionId === undefined ? await this.#open(set, signal) : this.#session(sessionId);
    if (delta && !this.#isCurrent(set, delta.base)) throw new HoldfastError('service_error', { status: 409 });
    session.base = delta?.base;
    await session.takeManifest(delta ? delta.changes() : files(), onNeeded, signal);
    return { session_id: session.id, chunks_deduped: session.deduplicated, chunks_to_upload: session.needed };
  }

  /**
   * A backup goes on where files of the repository are damaged, missing or older than before, or a clock was wrong, and says so.
   */
  destinationWarnings(): readonly RunWarning[] {
    const { isDamaged, unread, storage } = this.#repository;
    const damaged = [
      ...(isDamaged ? [storage.address] : []),
      ...unread.keys().map((name) => `${storage.address}/${name}`),
    ];
    return [...this.#timeWarnings, ...damaged.map((path) => ({ path, reason: 'destination-damaged' }))];
  }

  backupProgress(_progress: BackupProgressRequest): Promise<void> {
    return Promise.resolve();
  }

  async upload(sessionId: string, blobs: readonly SealedBlob[], signal?: AbortSignal): Promise<NewBlobs> {
    this.#session(sessionId);
    const added = await this.#writer.add(
      blobs.map(({ hash, bytes, size, kind }) => ({ digest: digestOf(hash), bytes, size, kind })),
      signal,
    );
    return {
      blobs: added.length,
      bytes: added.reduce((sum, { bytes, kind }) => sum + bytes.length * copiesOfKind(kind), 0),
      plaintextBytes: added.reduce((sum, { size }) => sum + size, 0),
    };
  }

  async backupComplete(sessionId: string, stats: BackupStats, signal?: AbortSignal): Promise<BackupRun> {
    const session = this.#session(sessionId);
    const { projection } = this.#repository;
    await this.#writer.flush(signal);
    await this.#storeSecondCopies(session, signal);
    let point: FactOf<'point'> | undefined;
    const { restore_point: kept } = stats;
    const replaced =
      kept === undefined ? [] : await unreadablePointsAt(this.#repository, session.set, Date.parse(kept), signal);
    const before = projection.points.ofSet(session.set)[0];
    await this.#repository.append(async () => {
      this.#requireChunks(session);
      this.#requirePacks(session);
      const latest = projection.points.latestTime(session.set) ?? 0;
      const dated = pointTime(this.#repository, { set: session.set, kept, latest, replaced });
      point = pointOf(session, stats, dated, this.#writer.storedBytes - session.storedBefore);
      const { time } = dated;
      // Nothing that happens now is learnt from a copy of an older point.
      const alarm = time > latest ? this.#alarmOf(session, stats, time) : undefined;
      const facts: Fact[] = [...projection.packs.unreportedFacts(), point];
      if (replaced.length > 0) facts.push({ kind: 'removed', points: replaced.map(({ id }) => id) });
      if (replaced.some(({ isPinned }) => isPinned)) facts.push({ kind: 'pin', point: point.id, time });
      return [...facts, ...(alarm ? [alarm] : [])];
    }, signal);
    await this.#repository.requireKeptKey(signal);
    await this.#confirm(session, point!, signal);
    if (kept === undefined) this.#timeWarnings = timeWarnings(before, point!);
    this.#sessions.delete(sessionId);
    const id = Buffer.from(point!.id).toString('hex');
    this.#added.set(session.set.set, id);
    const { bytes, newBytes } = session.totals;
    return {
      backup_id: id,
      status: 'completed',
      restore_point: formatTimestamp(point!.time),
      ...completionOf(point!.time, point!.completed ?? point!.time),
      storage_used_bytes: projection.packs.storedBytes(),
      dedup_savings_percent: bytes === 0 ? 0 : Math.max(0, Math.round(1000 * (1 - newBytes / bytes)) / 10),
    };
  }

  async damagedPoints(device: string, set: string, signal?: AbortSignal): Promise<DamagedPoints> {
    await this.#repository.refresh(signal);
    await this.#comparison.run(signal);
    return await damagedPointsOf(this.#repository, { device, set }, signal);
  }

  markDamaged(digests: readonly Buffer[], signal?: AbortSignal): Promise<void> {
    return markDamagedChunks(this.#repository, digests, signal);
  }

  async backupMend(sessionId: string, signal?: AbortSignal): Promise<void> {
    const session = this.#session(sessionId);
    const { packs } = this.#repository.projection;
    await this.#writer.flush(signal);
    await this.#storeSecondCopies(session, signal);
    await this.#repository.append(() => {
      const facts = packs.unreportedFacts();
      return facts.length > 0 ? facts : undefined;
    }, signal);
    this.#sessions.delete(sessionId);
  }

  async backupAbort(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId);
  }

  async restoreManifest(
    request: RestoreManifestRequest,
    onFiles: (files: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<RestoreManifestHead> {
    await this.#refreshForReading(signal);
    const { points, packs } = this.#repository.projection;
    const set = { device: request.device_id, set: request.backup_set };
    const time = Date.parse(request.point_in_time);
    const point = points.newestUntil(set, time);
    if (!point) throw this.#noRestorePoint(set, time);
    const files = [reservedEntry(TREE_PATH, point.tree), reservedEntry(KEYS_PATH, point.envelope)].filter(
      (file) => file !== undefined,
    );
    const listed = isReservedPath(request.path) || request.path === '' ? files : [];
    await onFiles(listed, []);
    return {
      restore_session_id: randomBytes(16).toString('hex'),
      point_in_time: formatTimestamp(point.time),
      total_files: listed.length,
      total_chunks: listed.length,
      unique_chunks: listed.length,
      total_bytes: listed.reduce((sum, file) => sum + file.size, 0),
    };

    function reservedEntry(path: string, digest: Buffer | undefined): RestoreFileEntry | undefined {
      if (!digest) return undefined;
      const size = packs.locate(digest)[0]?.size ?? 0;
      return { path, size, modified: formatTimestamp(point!.time), chunks: [formatChunkHash(digest.toString('hex'))] };
    }
  }

  async devices(signal?: AbortSignal): Promise<readonly Device[]> {
    await this.#refreshForReading(signal);
    return listDevices(this.#repository);
  }

  async restorePoints(device: string, set: string, signal?: AbortSignal): Promise<readonly RestorePoint[]> {
    await this.#refreshForReading(signal);
    return this.#repository.projection.points
      .ofSet({ device, set })
      .map(({ id, time, completed, files, bytes }) =>
        Object.assign(
          { restore_point: formatTimestamp(time), backup_id: id.toString('hex'), files, bytes },
          completionOf(time, completed),
        ),
      );
  }

  async backupSets(device: string, signal?: AbortSignal): Promise<readonly BackupSet[]> {
    await this.#refreshForReading(signal);
    return this.#repository.projection.points
      .setsOf(device)
      .map(({ set, newest }) => ({ name: set, last_restore_point: formatTimestamp(newest) }));
  }

  /** Reads the ledgers, and finds out what they may lack for whoever wants to know it. */
  async #refreshForReading(signal: AbortSignal | undefined): Promise<void> {
    const repository = this.#repository;
    await repository.refresh(signal);
    if (!repository.onRead) return;
    await this.#unnamed.lookIfDue(signal);
    repository.onRead(repository.doubt);
  }

  async #open(set: SetName, signal: AbortSignal | undefined): Promise<BackupSession> {
    const { device, projection } = this.#repository;
    if (set.device !== device.id) throw new HoldfastError('device_refused', { deviceId: set.device });
    await this.#repository.refreshForWriting(signal);
    await this.#writeCheckpoint(signal);
    if (!this.#isConfirmed) await confirmUnreported(this.#repository, signal);
    this.#isConfirmed = true;
    await finishPacks(this.#repository, signal);
    await this.#comparison.runIfDue(signal);
    await distrustUnnamedPacks(this.#repository, signal);
    await seePacks(this.#repository, signal);
    const session = new BackupSession(set, projection, this.#writer);
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Writes a checkpoint if one is due, and folds a projection anew that differs from it. */
  async #writeCheckpoint(signal: AbortSignal | undefined): Promise<void> {
    const { ledger } = this.#repository;
    if (!isCheckpointDue(ledger)) return;
    try {
      await this.#repository.append(async () => {
        await writeCheckpointIfDue(ledger, signal);
        return undefined;
      }, signal);
    } catch (error) {
      if (!(error instanceof WrongProjectionError)) throw error;
      await this.#repository.rebuild(signal);
    }
  }

  /** Stores metadata once more that stands in one pack: that of a run, and what any restore point has lost a pack of. */
  async #storeSecondCopies({ metadata: own }: BackupSession, signal: AbortSignal | undefined): Promise<void> {
    const points = this.#repository.projection.points.all();
    await storeSecondCopies(this.#repository, this.#writer, { own, points }, signal);
  }

  #session(id: string): BackupSession {
    const session = this.#sessions.get(id);
    // A session ends with its process; the engine then sends the manifest in a new one.
    if (!session) throw new HoldfastError('service_error', { status: 404 });
    return session;
  }

  /**
   * Returns whether differences from a restore point suffice: it is the newest, or the one that this client added last, and everything
   * in it can be counted on.
   */
  #isCurrent(set: SetName, base: string): boolean {
    const { points, packs } = this.#repository.projection;
    const isNewest = points.ofSet(set)[0]?.id.toString('hex') === base;
    const isOwn = this.#added.get(set.set) === base && points.find(Buffer.from(base, 'hex')) !== undefined;
    return (isNewest || isOwn) && !packs.hasUncountable();
  }

  /** @throws HoldfastError `chunk_missing` if a chunk that the run had to bring is not stored */
  #requireChunks(session: BackupSession): void {
    const missing = session.missing(MISSING_LISTED);
    if (missing.length > 0) throw chunksMissing(missing);
  }

  /** @throws HoldfastError `chunk_missing` if a pack that the run counts on was condemned meanwhile, or its base removed */
  #requirePacks({ packs: countedOn, base }: BackupSession): void {
    const { packs, points } = this.#repository.projection;
    const isBaseLost = base !== undefined && (packs.hasUncountable() || !points.find(Buffer.from(base, 'hex')));
    if (isBaseLost || [...countedOn].some((pack) => !packs.isCountable(pack))) throw chunksMissing([]);
  }

  /**
   * Reads the ledgers once more after the point is written. From now on every collector sees it; a pack that was condemned before
   * is seen here, however long this computer slept in between. Then the point is withdrawn and its chunks are stored again.
   */
  async #confirm(session: BackupSession, point: FactOf<'point'>, signal: AbortSignal | undefined): Promise<void> {
    await this.#repository.refresh(signal);
    try {
      this.#requirePacks(session);
    } catch (error) {
      await this.#repository.append(() => [{ kind: 'removed', points: [point.id] }], signal);
      throw error;
    }
  }

  #alarmOf({ set, changes }: BackupSession, stats: BackupStats, time: number): Fact | undefined {
    const points = this.#repository.projection.points.ofSet(set);
    const filesBefore = points[0]?.files ?? 0;
    const mostFiles = mostFilesOf(points, time);
    const { versions, bytes, newBytes } = changes;
    // Files after = files before - removed + added, versions = changed + added, ended = changed + removed.
    const ended = Math.max(0, versions - stats.files_processed + filesBefore);
    const { reasons } = judgeRun({ filesBefore, mostFiles, versions, ended, bytes, newBytes }, reportedActivity(stats));
    return reasons.length === 0
      ? undefined
      : { kind: 'alarm', id: randomBytes(16), ...set, time, reasons: [...reasons] };
  }

  #noRestorePoint(set: SetName, time: number): HoldfastError {
    const nearest = this.#repository.projection.points
      .ofSet(set)
      .toSorted((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))
      .slice(0, NEAREST)
      .map((point) => formatTimestamp(point.time));
    return new HoldfastError('no_restore_point', { nearest });
  }
}

function chunksMissing(chunks: readonly string[]): HoldfastError {
  return new HoldfastError('chunk_missing', { chunks }, { retryable: true });
}
