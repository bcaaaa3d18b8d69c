import { isHoldfastError, type ErrorCode } from '../base/errors/errors.ts';
import type { BackupInitResponseHead, BackupStats } from '../protocol/backup.ts';
import { formatChunkHash, hexDigestOf } from '../protocol/chunk-hash.ts';
import type { RestorePoint } from '../protocol/extensions.ts';
import type { SeenTree } from '../catalog/history.ts';
import {
  CHUNK_RECORD_BYTES,
  chunkCount,
  digestAt,
  hexDigestAt,
  writeChunkRecord,
} from '../format/chunks/chunk-list.ts';
import { DigestSet } from '../format/chunks/digest-set.ts';
import type { BlobForm } from '../format/crypto/blob.ts';
import { envelopeFits, readEnvelope } from '../format/crypto/key-envelope.ts';
import { PathNames } from '../format/crypto/path-names.ts';
import { fetchChunks } from '../read/chunks/fetch-chunks.ts';
import { requestFiles } from '../read/source/manifest.ts';
import type { FoundRestorePoint } from '../read/source/restore-point.ts';
import { isDataFailure, type OpenTree } from '../read/source/tree.ts';
import { blobFormFor } from '../remote/blobs/blob-form.ts';
import { copyTree, type CopiedTree } from './copied-tree.ts';
import { changesOfTree, findFileWith, manifestOfTree, type FileTotals, type TreeBefore } from './manifest-of-tree.ts';
import { transferChunks, UNKNOWN_SIZE } from './transfer-chunks.ts';
import type { CompletedRun } from '../remote/ports.ts';
import type { CopyDependencies } from './types.ts';
import { digestOf } from '../format/chunks/digest.ts';

/** A restore point to copy, as it was found. */
export interface PointToCopy {
  readonly set: string;
  readonly listed: RestorePoint;
  readonly found: FoundRestorePoint;
  readonly tree: OpenTree;
  /** True if the other destination has a newer one. */
  readonly isPast: boolean;
}

/** A restore point that was copied by this run: the next one is sent as the differences from it. */
export interface CopiedPoint extends TreeBefore {
  readonly run: CompletedRun;
  readonly newest: SeenTree;
}

/** Why a restore point was not copied. */
export interface LostData {
  readonly reason: ErrorCode;
  readonly path: string | undefined;
  readonly chunk: string | undefined;
}

export interface PointObserver {
  onNeeded(chunks: number): void;
  onCopied(chunks: number, bytes: number): void;
}

/** Copies one restore point. It is created only if everything in it can be read. */
export class PointCopy {
  readonly #point: PointToCopy;
  readonly #deps: CopyDependencies;
  readonly #observer: PointObserver;
  readonly #signal: AbortSignal | undefined;
  #bytesCopied = 0;
  #chunksCopied = 0;
  #totals: FileTotals = { files: 0, bytes: 0 };

  constructor(point: PointToCopy, deps: CopyDependencies, observer: PointObserver, signal: AbortSignal | undefined) {
    this.#point = point;
    this.#deps = deps;
    this.#observer = observer;
    this.#signal = signal;
  }

  /**
   * @param previous the newest tree at the other destination
   * @param before the restore point that this run copied last
   * @throws what the destinations throw
   */
  async run(previous: SeenTree | undefined, before: CopiedPoint | undefined): Promise<CopiedPoint | LostData> {
    try {
      const copied = await this.#copyTree(previous);
      const restoreSession = await this.#restoreSession();
      for (let isRepeated = false; ; isRepeated = true) {
        const lost = await this.#send(copied, restoreSession, isRepeated ? undefined : before, isRepeated);
        if (lost !== 'again') return lost;
      }
    } catch (error) {
      if (!isDataFailure(error)) throw error;
      const { details } = error;
      return { reason: error.code, path: undefined, chunk: 'chunk' in details ? details.chunk : undefined };
    }
  }

  /**
   * Sends the chunks that the other destination lacks of a restore point that it has. What of them cannot be read is left out.
   *
   * @param previous the newest tree at the other destination
   * @throws what the destinations throw
   */
  async mend(previous: SeenTree | undefined): Promise<void> {
    const { service } = this.#deps.to;
    const copied = await this.#copyTree(previous);
    const needed: Buffer[] = [];
    const { session_id: session } = await this.#init(copied, undefined, needed);
    await this.#transfer(copied, needed, await this.#restoreSession(), session);
    await service.backupMend?.(session, this.#signal);
  }

  async #copyTree(previous: SeenTree | undefined): Promise<CopiedTree> {
    const { to, keys } = this.#deps;
    return copyTree(
      {
        footer: this.#point.tree.footer,
        envelope: await this.#envelope(),
        deviceId: to.deviceId,
        previous,
        isPast: this.#point.isPast,
        damaged: to.catalog.entries.damaged.digests(),
        form: await this.#form(),
      },
      keys,
    );
  }

  async #form(): Promise<BlobForm> {
    return blobFormFor(await this.#deps.to.service.capabilities(this.#signal));
  }

  /** Returns `again` if the destination lost chunks that it counted on, and another manifest may name them. */
  async #send(
    copied: CopiedTree,
    restoreSession: string,
    before: CopiedPoint | undefined,
    isRepeated: boolean,
  ): Promise<CopiedPoint | LostData | 'again'> {
    const { service } = this.#deps.to;
    const needed: Buffer[] = [];
    const head = await this.#init(copied, before, needed);
    try {
      const lost = await this.#transfer(copied, needed, restoreSession, head.session_id);
      if (lost) {
        await service.backupAbort(head.session_id, this.#signal);
        return lost;
      }
      const run = await service.backupComplete(head.session_id, await this.#stats(head), this.#signal);
      return { run, newest: copied.tree, tree: this.#point.tree, ...this.#totals };
    } catch (error) {
      if (!isRepeated && isHoldfastError(error, 'chunk_missing') && error.retryable) return 'again';
      await service.backupAbort(head.session_id, this.#signal).catch(() => undefined);
      throw error;
    }
  }

  /** @param needed receives lists of the chunks that the destination lacks */
  async #init(copied: CopiedTree, before: CopiedPoint | undefined, needed: Buffer[]): Promise<BackupInitResponseHead> {
    const { to, keys, clock, from } = this.#deps;
    const { tree, set } = this.#point;
    const { privateNames } = tree.footer;
    const names = privateNames ? new PathNames(keys.path) : undefined;
    const deps = { downloader: from.downloader, keys, clock };
    const onTotals = (totals: FileTotals): void => {
      this.#totals = totals;
    };
    const parts = { tree, reserved: copied.reserved, names, deps, signal: this.#signal, onTotals };
    const request = { deviceId: to.deviceId, backupSet: set };
    const send = (delta?: CopiedPoint): Promise<BackupInitResponseHead> =>
      unlessUnreadable(this.#signal, (guarded, signal) => {
        needed.length = 0;
        const files = () => guarded(manifestOfTree(parts));
        const changes = delta && { base: delta.run.backup_id, changes: () => guarded(changesOfTree(delta, parts)) };
        return to.service.backupInit(
          { ...request, files, ...(changes && { delta: changes }) },
          (chunks) => needed.push(listOf(chunks, to.service.manifests === 'none')),
          signal,
          () => {
            needed.length = 0;
          },
        );
      });
    const isDelta =
      before !== undefined &&
      !privateNames &&
      !before.tree.footer.privateNames &&
      (await to.service.capabilities(this.#signal)).has('backup.init.delta');
    if (!isDelta) return await send();
    try {
      return await send(before);
    } catch (error) {
      if (!isHoldfastError(error, 'service_error') && !isDataFailure(error)) throw error;
      return await send();
    }
  }

  async #transfer(
    { blobs }: CopiedTree,
    needed: readonly Buffer[],
    restoreSession: string,
    session: string,
  ): Promise<LostData | undefined> {
    const { from, to, pool, keys, clock } = this.#deps;
    const { tree } = this.#point;
    const pieces = new DigestSet();
    for (const { chunks } of tree.footer.pieces) {
      for (let index = 0; index < chunkCount(chunks); index += 1) pieces.add(digestAt(chunks, index));
    }
    const own = new Map(blobs.map((blob) => [hexDigestOf(blob.hash), blob]));
    const lists = needed.map((list) => without(list, own));
    this.#observer.onNeeded(needed.reduce((sum, list) => sum + chunkCount(list), 0));
    const onCopied = (chunks: number, bytes: number): void => {
      this.#chunksCopied += chunks;
      this.#bytesCopied += bytes;
      this.#observer.onCopied(chunks, bytes);
    };
    const lost = await transferChunks(
      { lists, pieces, restoreSession, session },
      {
        downloader: from.downloader,
        uploader: to.uploader,
        pool,
        chunkSubKeys: keys.chunk,
        form: await this.#form(),
        clock,
        onCopied,
        signal: this.#signal,
      },
    );
    const [first] = lost;
    if (first) return { chunk: first[0], reason: first[1], path: await this.#fileWith(lost) };
    const missing = blobs.filter(({ hash }) => needed.some((list) => hasDigest(list, hexDigestOf(hash))));
    const stored = await to.uploader.upload(session, missing, this.#signal);
    onCopied(missing.length, stored.bytes);
    return undefined;
  }

  /** Returns the first file that needs a lost chunk; `undefined` if it is one of the tree's own. */
  async #fileWith(lost: ReadonlyMap<string, ErrorCode>): Promise<string | undefined> {
    const { from, keys, clock } = this.#deps;
    const isWanted = ({ chunks }: { readonly chunks: Buffer }): boolean =>
      Array.from({ length: chunkCount(chunks) }, (_, index) => formatChunkHash(hexDigestAt(chunks, index))).some(
        (name) => lost.has(name),
      );
    const deps = { downloader: from.downloader, keys, clock };
    return await findFileWith(this.#point.tree, isWanted, deps, this.#signal);
  }

  /**
   * The restore point's own envelope if that can be read and is of this key; else the other destination's. At a service, others take the key
   * from it.
   */
  async #envelope(): Promise<Buffer> {
    const { from, to, keys, clock } = this.#deps;
    const { restoreSessionId: session, envelopeChunks: hashes } = this.#point.found;
    const own = Buffer.from(to.keyEnvelope);
    if (hashes?.length !== 1 || to.service.manifests === 'compare') return own;
    try {
      const request = { session, hashes, kind: 'envelope' } as const;
      const [bytes] = await fetchChunks(request, { downloader: from.downloader, keys, clock }, this.#signal);
      return envelopeFits(readEnvelope(bytes!), keys) ? bytes! : own;
    } catch (error) {
      if (isDataFailure(error)) return own;
      throw error;
    }
  }

  /** The restore session that serves all chunks. */
  async #restoreSession(): Promise<string> {
    const { from, keys } = this.#deps;
    const { found, set, tree } = this.#point;
    if (from.service.manifests === 'none') return found.restoreSessionId;
    const source = { deviceId: from.deviceId, backupSet: set, at: Date.parse(found.restorePoint) };
    const request = {
      source,
      restorePoint: found.restorePoint,
      prefixes: [],
      service: from.service,
      names: new PathNames(keys.path),
      sealed: tree.footer.privateNames,
    };
    const ignored = { onFiles: () => undefined, onRefused: () => undefined, onRestart: () => undefined };
    const [session] = await requestFiles(request, ignored, this.#signal);
    if (session === undefined) throw new Error('a restore point without a session');
    return session;
  }

  async #stats(head: BackupInitResponseHead): Promise<BackupStats> {
    const { to } = this.#deps;
    const keepsTime = (await to.service.capabilities(this.#signal)).has('backup.complete.time');
    return {
      files_processed: this.#totals.files,
      chunks_new: this.#chunksCopied,
      chunks_deduped: head.chunks_deduped,
      bytes_scanned: this.#totals.bytes,
      bytes_uploaded: this.#bytesCopied,
      duration_seconds: 0,
      ...(keepsTime ? { restore_point: this.#point.found.restorePoint } : {}),
    };
  }
}

/**
 * Sends a manifest that is made while it is sent. If it cannot be made, the call is not repeated, and fails with that error.
 *
 * @param send wraps the manifest with its first argument
 */
async function unlessUnreadable<Result>(
  signal: AbortSignal | undefined,
  send: (
    guarded: <Batch>(manifest: AsyncGenerator<Batch>) => AsyncGenerator<Batch>,
    signal: AbortSignal,
  ) => Promise<Result>,
): Promise<Result> {
  const unreadable = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  async function* guarded<Batch>(manifest: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
    try {
      yield* manifest;
    } catch (error) {
      failure ??= { error };
      unreadable.abort(error);
      throw error;
    }
  }
  try {
    return await send(guarded, signal ? AbortSignal.any([signal, unreadable.signal]) : unreadable.signal);
  } catch (error) {
    throw failure ? failure.error : error;
  }
}

function hasDigest(list: Buffer, digest: string): boolean {
  for (let index = 0; index < chunkCount(list); index += 1) if (hexDigestAt(list, index) === digest) return true;
  return false;
}

/** @param isProven whether the sizes are those of the manifest, and not what a service says */
function listOf(chunks: readonly { readonly hash: string; readonly size: number }[], isProven: boolean): Buffer {
  const list = Buffer.alloc(chunks.length * CHUNK_RECORD_BYTES);
  for (const [index, { hash: name, size }] of chunks.entries()) {
    writeChunkRecord(list, index, digestOf(name), isProven ? size : UNKNOWN_SIZE);
  }
  return list;
}

/** A list without some digests, which are in hex. */
function without(list: Buffer, left: ReadonlyMap<string, unknown>): Buffer {
  const kept: Buffer[] = [];
  for (let index = 0; index < chunkCount(list); index += 1) {
    const record = list.subarray(index * CHUNK_RECORD_BYTES, (index + 1) * CHUNK_RECORD_BYTES);
    if (!left.has(hexDigestAt(list, index))) kept.push(record);
  }
  return kept.length === chunkCount(list) ? list : Buffer.concat(kept);
}
