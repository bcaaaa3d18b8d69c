import { writeJsonArray } from '../../protocol/bodies/json-array-stream.ts';
import { pathOfSortKey } from '../../model/entry-path.ts';
import type { ReportedManifestRequest } from '../../protocol/extensions.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { requirePermission } from '../auth/permissions.ts';
import { deviceToRead } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import { RESTORE_LIFETIME, type RestoreSession } from './restore-store.ts';
import type { StoredVersion } from '../backup/store/tree-store.ts';
import { chunkCountOf, chunkHashesOf } from '../backup/store/packed-chunks.ts';
import { timeText } from '../stored-time.ts';
import { RestoreChunks, type RestoreContext } from './restore-chunks.ts';
import { completedEvent, startedEvent } from './restore-events.ts';
import { chooseRestorePoint } from './restore-point.ts';
import { scanDirectory, scanTree } from './tree-scan.ts';

/** Returns the tree, or a part of it, as of a time. The files are streamed, followed by their totals. */
export async function restoreManifest(
  { service: context, restores }: RestoreContext,
  caller: Caller,
  request: ReportedManifestRequest,
): Promise<AsyncIterable<Uint8Array>> {
  requirePermission(caller, 'restore');
  const device = await deviceToRead(context, caller, request.device_id);
  const time = Date.parse(request.point_in_time);
  const { set, point } = await chooseRestorePoint(context, device.id, request.backup_set, time);
  const now = context.clock.now();
  const session = await context.metadata.restores.create({
    accountId: caller.accountId,
    deviceId: device.id,
    deviceName: device.name,
    setNumber: set.number,
    setName: set.name,
    sequence: point.sequence,
    restorePoint: point.restorePoint,
    path: request.path,
    recursive: request.recursive,
    isReported: request.reported ?? false,
    createdAt: now,
    expiresAt: now + RESTORE_LIFETIME,
  });
  await requirePoint(context, session);
  const manifest = new RestoreManifest(context, session);
  restores.remember(session.id, manifest.chunks);
  return writeJsonArray('files', manifest.head, manifest.files(), () => manifest.totals);
}

/**
 * Checks that the restore point still exists: a restore in progress protects it, but it may have been removed just before the restore
 * was visible, or while sending its manifest took more than a day.
 */
async function requirePoint({ metadata }: ServiceContext, session: RestoreSession): Promise<void> {
  const point = await metadata.sessions.restorePointAt(session.setNumber, session.restorePoint);
  if (point?.sequence === session.sequence) return;
  const next = await metadata.sessions.restorePointAfter(session.setNumber, session.restorePoint);
  throw new ServiceProblem('no_restore_point', {
    detail: 'the restore point was removed',
    nearestRestorePoints: next ? [formatTimestamp(next.restorePoint)] : [],
  });
}

class RestoreManifest {
  readonly chunks = new RestoreChunks();
  readonly #context: ServiceContext;
  readonly #session: RestoreSession;
  readonly #directories: string[] = [];
  #files = 0;
  #references = 0;
  #bytes = 0;

  constructor(context: ServiceContext, session: RestoreSession) {
    this.#context = context;
    this.#session = session;
  }

  get head() {
    return {
      restore_session_id: this.#session.id,
      point_in_time: formatTimestamp(this.#session.restorePoint),
    };
  }

  get totals() {
    return {
      ...(this.#session.recursive ? {} : { directories: this.#directories }),
      total_files: this.#files,
      total_chunks: this.#references,
      unique_chunks: this.chunks.unique,
      total_bytes: this.#bytes,
    };
  }

  async *files(): AsyncGenerator<readonly RestoreFileEntry[]> {
    const { metadata, clock } = this.#context;
    const session = this.#session;
    const pages = session.recursive
      ? scanTree(metadata.trees, session)
      : scanDirectory(metadata.trees, session, (path) => this.#directories.push(path));
    for await (const page of pages) yield page.map((version) => this.#entry(version));
    await requirePoint(this.#context, session);
    const totals = { files: this.#files, bytes: this.#bytes };
    const now = clock.now();
    const isEmpty = this.#files === 0;
    const started = session.isReported || isEmpty ? undefined : startedEvent(session, totals);
    await metadata.restores.started(session.id, totals, started, now);
    // There is nothing to fetch, or everything was fetched while the manifest was being sent.
    if (!this.chunks.exhausted) return;
    const completed = session.isReported || isEmpty ? undefined : completedEvent(session, totals, now);
    await metadata.restores.completed(session.id, completed, now);
  }

  #entry(version: StoredVersion): RestoreFileEntry {
    this.#files += 1;
    this.#bytes += version.size;
    this.#references += chunkCountOf(version.chunks);
    this.chunks.addFile(version);
    return {
      path: pathOfSortKey(version.pathKey),
      size: version.size,
      modified: timeText(version.modified),
      chunks: chunkHashesOf(version.chunks),
    };
  }
}
