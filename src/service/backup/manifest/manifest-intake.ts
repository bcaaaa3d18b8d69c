import { BLOB_OVERHEAD } from '../../../protocol/blob.ts';
import type { ServiceContext } from '../../context.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { RunChanges } from '../../../rules/ransomware.ts';
import { ChunkIdSet } from '../store/chunk-id-set.ts';
import type { Account } from '../../auth/account-store.ts';
import type { BackupSession, ManifestTotals } from '../store/session.ts';
import type { ChunkRow } from '../store/chunk-store.ts';
import { treeBytesOf, type FileVersion, type StoredVersion, type TreeChanges } from '../store/tree-store.ts';
import { requireRoomForTree } from '../quota.ts';
import { chunkCountOf, chunkDigestAt, chunkIdAt, chunkSizeAt, writeChunkId } from '../store/packed-chunks.ts';
import type { EarlyUploads } from './early-uploads.ts';
import { readManifestEntry } from './manifest-entry.ts';
import { ManifestDelta } from './manifest-delta.ts';
import { ManifestMerge, type MergedBatch } from './manifest-merge.ts';
import { KIB } from '../../../model/units.ts';

/**
 * Files in a batch, and bytes of their chunk lists. Digests are spread over their whole index, so a large transaction writes hardly
 * more pages than a small one.
 */
const BATCH_FILES = 4_096;
const BATCH_LIST_BYTES = 512 * KIB;

/** Bytes of a tree after which its account's room is checked again. */
const CHECKED_TREE_BYTES = 2 ** 20;

interface IntakeParts {
  readonly account: Account;
  /** Ids of the account's lost chunks. */
  readonly lost: readonly number[];
  readonly delta: ManifestDelta | undefined;
  readonly early: EarlyUploads | undefined;
}

/**
 * Compares the files of one manifest, or its differences from the newest tree, batch by batch with the tree that the session is
 * relative to, and stages the changes. Memory does not grow with the manifest, apart from one bit for each chunk.
 */
export class ManifestIntake {
  readonly #context: ServiceContext;
  readonly #session: BackupSession;
  readonly #account: Account;
  readonly #merge: ManifestMerge;
  /** Used instead of `merge` for a manifest of differences. */
  readonly #delta: ManifestDelta | undefined;
  /** Chunks of the manifest so far. */
  readonly #seen = new ChunkIdSet();
  /** Chunks of earlier trees whose blobs are gone. */
  readonly #lost: ReadonlySet<number>;
  /** Chunks that the client uploaded before its manifest. */
  readonly #early: EarlyUploads | undefined;
  /** Files that have arrived and are not compared yet. */
  #entries: FileVersion[] = [];
  #entryBytes = 0;
  #files = 0;
  #bytes = 0;
  #bytesNeeded = 0;
  #chunksNeeded = 0;
  #chunksDeduped = 0;
  #bytesAwaited = 0;
  #bytesAnnounced = 0;
  /** New and changed files with their bytes, and removed and changed files of the tree. */
  #versions = 0;
  #versionBytes = 0;
  #treeBytes = 0;
  #treeBytesChecked = 0;
  #ended = 0;

  private constructor(context: ServiceContext, session: BackupSession, { account, lost, delta, early }: IntakeParts) {
    this.#context = context;
    this.#session = session;
    this.#account = account;
    this.#merge = new ManifestMerge(context.metadata.trees, session);
    this.#delta = delta;
    this.#lost = new Set(lost);
    this.#early = early;
  }

  /**
   * @param base the run that the manifest lists the differences from; without it, it lists all files
   * @throws ServiceProblem `base_outdated` if the session is not relative to that run, or if lost chunks of unlisted files may have
   *   to be uploaded again
   */
  static async start(
    context: ServiceContext,
    session: BackupSession,
    base: string | undefined,
    early: EarlyUploads | undefined,
  ): Promise<ManifestIntake> {
    const account = await context.metadata.accounts.findAccount(session.accountId);
    const lost = await context.metadata.chunks.lost(account!.number);
    const parts = { account: account!, lost, early, delta: undefined };
    if (base === undefined) return new ManifestIntake(context, session, parts);
    const newest = await context.metadata.sessions.restorePointAt(session.setNumber, Number.MAX_SAFE_INTEGER);
    if (newest?.backupId !== base || newest.sequence !== session.base || lost.length > 0) {
      throw new ServiceProblem('base_outdated');
    }
    const delta = new ManifestDelta(context.metadata.trees, session, newest);
    return new ManifestIntake(context, session, { ...parts, delta });
  }

  /** Bytes of the blobs that the client has yet to upload. */
  get bytesAwaited(): number {
    return this.#bytesAwaited;
  }

  /** Plaintext bytes of the chunks that the client announced before its manifest. */
  get bytesAnnounced(): number {
    return this.#bytesAnnounced;
  }

  async add(elements: readonly unknown[]): Promise<void> {
    if (elements.length === 0) return;
    if (this.#delta) {
      for await (const merged of this.#delta.merge(elements)) await this.#take(merged);
      return;
    }
    for (const element of elements) {
      const entry = readManifestEntry(element);
      this.#entries.push(entry);
      this.#entryBytes += entry.chunks.length;
      this.#files += 1;
      this.#bytes += entry.size;
    }
    if (this.#entries.length >= BATCH_FILES || this.#entryBytes >= BATCH_LIST_BYTES) await this.#mergeEntries();
  }

  async #mergeEntries(): Promise<void> {
    const entries = this.#entries;
    this.#entries = [];
    this.#entryBytes = 0;
    if (entries.length > 0) await this.#take(await this.#merge.merge(entries));
  }

  async #take(merged: MergedBatch): Promise<void> {
    await this.#early?.refresh();
    await this.#countUnchanged(merged.unchanged);
    await this.#resolve(merged.changed);
    const { ends, continued } = merged;
    if (merged.changed.length + ends.length + continued.length > 0) {
      await this.#stage({ versions: merged.changed, ends, continued });
    }
  }

  async #stage(changes: TreeChanges): Promise<void> {
    for (const version of changes.versions) this.#treeBytes += treeBytesOf(version);
    await this.#requireRoom();
    await this.#context.metadata.trees.stage(this.#session, changes);
    this.#versions += changes.versions.length;
    for (const { size } of changes.versions) this.#versionBytes += size;
    this.#ended += changes.ends.length - changes.continued.length;
  }

  /** Looks up what others have used for every MiB that arrives. */
  async #requireRoom(): Promise<void> {
    if (this.#treeBytes < this.#treeBytesChecked + CHECKED_TREE_BYTES) return;
    this.#treeBytesChecked = this.#treeBytes;
    await requireRoomForTree(this.#context, this.#session.accountId, this.#treeBytes);
  }

  /** Returns, after `finish`, the changes of the run to its set. */
  async changes(): Promise<RunChanges> {
    const { base, setNumber } = this.#session;
    const before =
      base === 0 ? undefined : await this.#context.metadata.sessions.restorePointAt(setNumber, Number.MAX_SAFE_INTEGER);
    return {
      filesBefore: before?.files ?? 0,
      versions: this.#versions,
      ended: this.#ended,
      bytes: this.#versionBytes,
      newBytes: this.#bytesNeeded,
    };
  }

  async finish(): Promise<ManifestTotals> {
    if (!this.#delta) {
      await this.#mergeEntries();
      for await (const changes of this.#merge.finish()) await this.#stage(changes);
    }
    const { files, bytes } = this.#delta?.totals ?? { files: this.#files, bytes: this.#bytes };
    return {
      files,
      bytes,
      bytesNeeded: this.#bytesNeeded,
      chunksNeeded: this.#chunksNeeded,
      chunksDeduped: this.#chunksDeduped,
      treeBytes: this.#treeBytes,
    };
  }

  /** Counts chunks of unchanged files, which are stored unless they are lost. */
  async #countUnchanged(versions: readonly StoredVersion[]): Promise<void> {
    const needed: { id: number; size: number }[] = [];
    for (const { chunks } of versions) {
      for (let index = 0; index < chunkCountOf(chunks); index += 1) {
        const id = chunkIdAt(chunks, index);
        if (!this.#seen.add(id)) continue;
        if (this.#lost.has(id)) needed.push({ id, size: chunkSizeAt(chunks, index) });
        else this.#countStored(id, chunkSizeAt(chunks, index));
      }
    }
    await this.#need(needed);
  }

  async #resolve(versions: readonly FileVersion[]): Promise<void> {
    if (versions.length === 0) return;
    const batch = new BatchChunks(versions);
    const rows = await this.#context.metadata.chunks.resolve(this.#account.number, batch.digests);
    batch.writeIds(rows);
    const needed: { id: number; size: number }[] = [];
    const again: number[] = [];
    for (const [index, { id, size: stored }] of rows.entries()) {
      const size = batch.sizes[index]!;
      if (stored !== undefined && stored !== size) throw otherSize(batch.digests[index]!, stored, size);
      const isNew = this.#seen.add(id);
      if (stored === undefined && !isNew) again.push(index);
      else if (stored === undefined) needed.push({ id, size });
      else if (isNew) this.#countStored(id, size);
    }
    await this.#compareSizes(again.map((index) => ({ digest: batch.digests[index]!, size: batch.sizes[index]! })));
    await this.#need(needed);
  }

  #countStored(id: number, size: number): void {
    if (!this.#early?.has(id)) {
      this.#chunksDeduped += 1;
      return;
    }
    this.#bytesNeeded += size;
    this.#bytesAnnounced += size;
  }

  /** Checks the sizes of chunks that an earlier batch needed, too. */
  async #compareSizes(chunks: readonly { readonly digest: Buffer; readonly size: number }[]): Promise<void> {
    if (chunks.length === 0) return;
    const digests = chunks.map((chunk) => chunk.digest);
    const needed = await this.#context.metadata.chunks.findNeeded(this.#session, digests, 'any');
    for (const [index, { digest, size }] of chunks.entries()) {
      const first = needed[index]?.size ?? size;
      if (first !== size) throw otherSize(digest, first, size);
    }
  }

  async #need(chunks: readonly { readonly id: number; readonly size: number }[]): Promise<void> {
    if (chunks.length === 0) return;
    await this.#context.metadata.chunks.need(this.#session, chunks);
    this.#chunksNeeded += chunks.length;
    for (const { id, size } of chunks) {
      if (this.#early?.has(id)) this.#bytesAnnounced += size;
      this.#bytesNeeded += size;
      this.#bytesAwaited += size + BLOB_OVERHEAD;
    }
  }
}

/** The distinct chunks of some files, in the order of their first appearance. */
class BatchChunks {
  readonly digests: Buffer[] = [];
  readonly sizes: number[] = [];
  readonly #versions: readonly FileVersion[];
  /** Indexes into `digests`, for each chunk of each file in turn. */
  readonly #places: number[] = [];

  constructor(versions: readonly FileVersion[]) {
    this.#versions = versions;
    const places = new Map<string, number>();
    for (const { chunks } of versions) {
      for (let index = 0; index < chunkCountOf(chunks); index += 1) {
        this.#place(places, chunkDigestAt(chunks, index), chunkSizeAt(chunks, index));
      }
    }
  }

  writeIds(rows: readonly ChunkRow[]): void {
    let next = 0;
    for (const { chunks } of this.#versions) {
      for (let index = 0; index < chunkCountOf(chunks); index += 1) {
        writeChunkId(chunks, index, rows[this.#places[next]!]!.id);
        next += 1;
      }
    }
  }

  #place(places: Map<string, number>, digest: Buffer, size: number): void {
    const name = digest.toString('latin1');
    let place = places.get(name);
    if (place === undefined) {
      place = this.digests.length;
      places.set(name, place);
      this.digests.push(digest);
      this.sizes.push(size);
    } else if (this.sizes[place] !== size) throw otherSize(digest, this.sizes[place]!, size);
    this.#places.push(place);
  }
}

function otherSize(digest: Buffer, size: number, other: number): ServiceProblem {
  const detail = `chunk sha256:${digest.toString('hex')} has ${size} bytes, and ${other} in another place`;
  return new ServiceProblem('unprocessable', { detail });
}
