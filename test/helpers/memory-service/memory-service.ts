import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupFileEntry, BackupInitResponseHead, BackupRun, BackupStats } from '../../../src/protocol/backup.ts';
import type { ChunkReference } from '../../../src/protocol/chunk.ts';
import type { Capability, RestorePoint } from '../../../src/protocol/extensions.ts';
import { isWithin, parentOf, withoutTrailingSlash } from '../../../src/model/entry-path.ts';
import type { RestoreFileEntry, RestoreManifestHead, RestoreManifestRequest } from '../../../src/protocol/restore.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { restoreElementsOf } from '../../../src/remote/client/manifest-elements.ts';
import type {
  BlobDownloader,
  BlobUploader,
  MalformedEntry,
  NewBlobs,
  SealedBlob,
  ServiceClient,
} from '../../../src/remote/ports.ts';

interface StoredPoint {
  readonly time: number;
  readonly set: string;
  readonly files: readonly RestoreFileEntry[];
}

/** A service in memory that implements the engine's ports. Tests can tamper with all of its responses. */
export class MemoryService implements ServiceClient, BlobUploader, BlobDownloader {
  manifests: ServiceClient['manifests'] = 'compare';
  readonly concurrency = 4;
  readonly blobs = new Map<string, Uint8Array>();
  /** Hashes in the order in which they were downloaded. */
  readonly downloads: string[] = [];
  points: StoredPoint[] = [];
  offered: ReadonlySet<Capability> = new Set();
  /** Milliseconds since the epoch; each backup advances it by an hour. */
  time = Date.parse('2026-11-01T12:00:00.000Z');
  /** Replaces a downloaded blob; called with the number of requests for that chunk. */
  tamper: ((hash: string, bytes: Uint8Array | undefined, count: number) => Uint8Array | undefined) | undefined;
  /** Replaces the manifest. Its elements may be malformed. */
  rewrite: ((files: readonly RestoreFileEntry[]) => readonly RestoreFileEntry[]) | undefined;
  /** Elements that follow the files of every manifest. */
  malformed: readonly unknown[] = [];
  /** Called before each download. */
  beforeDownload: ((hashes: readonly string[], signal?: AbortSignal) => void | Promise<void>) | undefined;
  /** Paths of the requested manifests. */
  readonly requests: string[] = [];
  /** Number of needed chunks of each init. */
  readonly needed: number[] = [];
  /** Open sessions without a manifest. */
  readonly opened = new Set<string>();
  readonly #sessions = new Map<string, { readonly set: string; readonly files: readonly BackupFileEntry[] }>();
  readonly #asked = new Map<string, number>();

  /** Writes everything to a folder, for another process. */
  save(folder: string): void {
    for (const [hash, bytes] of this.blobs) writeFileSync(join(folder, hash.slice('sha256:'.length)), bytes);
    writeFileSync(join(folder, 'points.json'), JSON.stringify({ time: this.time, points: this.points }));
  }

  static load(folder: string): MemoryService {
    const service = new MemoryService();
    for (const name of readdirSync(folder)) {
      if (name !== 'points.json') service.blobs.set(`sha256:${name}`, readFileSync(join(folder, name)));
    }
    return Object.assign(service, JSON.parse(readFileSync(join(folder, 'points.json'), 'utf8')));
  }

  now(): number {
    return this.time;
  }

  capabilities(): Promise<ReadonlySet<Capability>> {
    return Promise.resolve(this.offered);
  }

  backupOpen(): Promise<string> {
    const session = `opened-${this.opened.size + 1}`;
    this.opened.add(session);
    return Promise.resolve(session);
  }

  async backupInit(
    request: {
      readonly backupSet: string;
      readonly files: () => AsyncIterable<readonly BackupFileEntry[]>;
      readonly sessionId?: string | undefined;
    },
    onNeeded: (chunks: readonly ChunkReference[]) => void,
  ): Promise<BackupInitResponseHead> {
    if (request.sessionId !== undefined && !this.opened.delete(request.sessionId)) {
      throw new HoldfastError('service_error', { status: 404, reason: 'session_not_found' });
    }
    const files: BackupFileEntry[] = [];
    for await (const batch of request.files()) files.push(...batch);
    const chunks = new Map(files.flatMap((file) => file.chunks.map((chunk) => [chunk.hash, chunk])));
    const needed = [...chunks.values()].filter((chunk) => !this.blobs.has(chunk.hash));
    onNeeded(needed);
    this.needed.push(needed.length);
    const session = request.sessionId ?? `session-${this.#sessions.size + 1}`;
    this.#sessions.set(session, { set: request.backupSet, files });
    return {
      session_id: session,
      chunks_deduped: chunks.size - needed.length,
      chunks_to_upload: needed.length,
    };
  }

  backupProgress(): Promise<void> {
    return Promise.resolve();
  }

  upload(_session: string, blobs: readonly SealedBlob[]): Promise<NewBlobs> {
    const stored = { blobs: 0, bytes: 0, plaintextBytes: 0 };
    for (const { hash, bytes, size } of blobs) {
      if (this.blobs.has(hash)) continue;
      this.blobs.set(hash, Uint8Array.from(bytes));
      stored.blobs += 1;
      stored.bytes += bytes.length;
      stored.plaintextBytes += size;
    }
    return Promise.resolve(stored);
  }

  backupComplete(sessionId: string, _stats: BackupStats): Promise<BackupRun> {
    const { set, files } = this.#sessions.get(sessionId)!;
    const entries = files.map(({ path, size, modified, chunks }) => ({
      path,
      size,
      modified,
      chunks: chunks.map(({ hash }) => hash),
    }));
    this.time += 3_600_000;
    this.addPoint(set, entries);
    return Promise.resolve({
      backup_id: sessionId,
      status: 'completed',
      restore_point: new Date(this.time).toISOString(),
      storage_used_bytes: 0,
      dedup_savings_percent: 0,
    });
  }

  backupAbort(): Promise<void> {
    return Promise.resolve();
  }

  /** Adds a restore point as any other program may create one. */
  addPoint(set: string, files: readonly RestoreFileEntry[]): void {
    this.points.unshift({ time: this.time, set, files });
  }

  async restoreManifest(
    request: RestoreManifestRequest,
    onFiles: (files: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]) => void | Promise<void>,
  ): Promise<RestoreManifestHead> {
    this.requests.push(request.path);
    const time = Date.parse(request.point_in_time);
    const point = this.points.find((each) => each.set === request.backup_set && each.time <= time);
    if (!point) throw new HoldfastError('no_restore_point', { set: request.backup_set, time: request.point_in_time });
    const prefix = withoutTrailingSlash(request.path);
    const listed = this.rewrite ? this.rewrite(point.files) : point.files;
    const within = listed.filter(({ path }) => isWithin(path, prefix));
    const files = request.recursive ? within : within.filter(({ path }) => parentOf(path) === prefix);
    for (let start = 0; start < files.length; start += 100) {
      const elements = restoreElementsOf(files.slice(start, start + 100));
      await onFiles(elements.files, elements.malformed);
    }
    if (this.malformed.length > 0) await onFiles([], restoreElementsOf(this.malformed).malformed);
    return {
      restore_session_id: `restore-${request.path}`,
      point_in_time: new Date(point.time).toISOString(),
      total_files: files.length,
      total_chunks: files.reduce((sum, file) => sum + file.chunks.length, 0),
      unique_chunks: new Set(files.flatMap((file) => file.chunks)).size,
      total_bytes: files.reduce((sum, file) => sum + file.size, 0),
    };
  }

  async download(
    _session: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.beforeDownload?.(hashes, signal);
    for (const hash of hashes) {
      signal?.throwIfAborted();
      const count = (this.#asked.get(hash) ?? 0) + 1;
      this.#asked.set(hash, count);
      this.downloads.push(hash);
      const blob = this.blobs.get(hash);
      const bytes = blob && Uint8Array.from(blob);
      await onBlob(hash, this.tamper ? this.tamper(hash, bytes, count) : bytes);
    }
  }

  devices(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  restorePoints(_device: string, set: string): Promise<readonly RestorePoint[] | undefined> {
    if (!this.offered.has('restore_points')) return Promise.resolve(undefined);
    const points = this.points.filter((point) => point.set === set);
    return Promise.resolve(
      points.map((point) => ({
        restore_point: new Date(point.time).toISOString(),
        backup_id: String(point.time),
        files: point.files.length,
        bytes: 0,
      })),
    );
  }

  backupSets(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
