import { fdatasync, ftruncateSync } from 'node:fs';
import { promisify } from 'node:util';
import { canSyncFileSystem, makeSparseSync } from '../../os/filesystem/durability.ts';
import { closeIn, createFileIn } from '../../os/filesystem/folder-reference.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import { BATCH_BYTES, type ArenaPool } from '../../read/chunks/arena-pool.ts';
import { isFromTarget } from '../../read/chunks/chunk-source.ts';
import { retryDelay } from '../../read/chunks/fetch-chunks.ts';
import { packChunks } from '../../read/chunks/packed-chunks.ts';
import { wantedChunks, type WantedChunk } from '../../read/chunks/wanted-chunks.ts';
import {
  locationOf,
  namingOf,
  repeatedChunks,
  sizesByHash,
  type PlacedEntry,
  type RepeatedChunk,
  type WriteContext,
} from './placed-entry.ts';
import { finishFile, NO_ENTRIES, unlinkIfPossible, writeFailureOf, type WriteFailure } from './write-files.ts';

/** Files above this size are written in parts, at their offsets, by several workers at once. */
export const LARGE_FILE_BYTES = BATCH_BYTES;

/** A large file that is put together of its parts. */
interface Assembly {
  /** Descriptor. */
  readonly file: number;
  failure: WriteFailure | undefined;
  /** `sha256:…` */
  failedChunk: string | undefined;
  /** Repeated chunks that others can read from this file. */
  readonly repeated: RepeatedChunk[];
}

/**
 * Writes one large file. The tree says where each part begins, so that they are written concurrently. Without one a part begins where the one
 * before has ended, and only the downloads are concurrent.
 */
export class LargeFile {
  readonly #entry: PlacedEntry;
  readonly #context: WriteContext;
  readonly #arenas: ArenaPool;

  /** @param entry its folder is retained until the file is done */
  constructor(entry: PlacedEntry, context: WriteContext, arenas: ArenaPool) {
    this.#entry = entry;
    this.#context = context;
    this.#arenas = arenas;
    entry.folder.retain();
  }

  /**
   * Resolves when the last part has been started, with a promise for the end. Never rejects: failures are reported to the
   * run.
   */
  async start(): Promise<{ readonly end: Promise<void> }> {
    const file = this.#create();
    if (file === undefined) return { end: Promise.resolve() };
    const assembly: Assembly = { file, failure: undefined, failedChunk: undefined, repeated: [] };
    return { end: this.#end(assembly, await this.#startParts(assembly)) };
  }

  #create(): number | undefined {
    const { work, folder, partialName } = this.#entry;
    try {
      const file = createFileIn(folder.reference, partialName);
      if (work.sparse === 1) makeSparseSync(folder.pathOf(partialName));
      return file;
    } catch (error) {
      this.#guard(() => this.#context.run.failed(work, writeFailureOf(error)));
      folder.release();
      return undefined;
    }
  }

  /** @returns for each part the offset behind it, once it is written */
  async #startParts(assembly: Assembly): Promise<readonly Promise<number | undefined>[]> {
    const { work } = this.#entry;
    const parts: Promise<number | undefined>[] = [];
    const chunks = wantedChunks(work, this.#context.sessions);
    const count = Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, work.size / chunks.length)));
    let start = Promise.resolve<number | undefined>(0);
    for (let first = 0; first < chunks.length; first += count) {
      const arena = await this.#arenas.acquire();
      const part = chunks.slice(first, first + count);
      const written = this.#runPart(part, start, arena, assembly);
      parts.push(written);
      const length = lengthOf(part);
      start = length === undefined ? written : start.then((offset) => offset! + length);
    }
    return parts;
  }

  async #runPart(
    part: readonly WantedChunk[],
    start: Promise<number | undefined>,
    arena: BlobArena,
    assembly: Assembly,
  ): Promise<number | undefined> {
    try {
      if (this.#context.run.isStopping || assembly.failure) return undefined;
      return await this.#writePart(part, start, arena, assembly);
    } catch (error) {
      this.#context.run.fail(error);
      return undefined;
    } finally {
      this.#arenas.release(arena);
    }
  }

  async #writePart(
    part: readonly WantedChunk[],
    start: Promise<number | undefined>,
    arena: BlobArena,
    assembly: Assembly,
  ): Promise<number | undefined> {
    const { run, source, pool, clock, chunkSubKeys } = this.#context;
    const distinct = [...new Map(part.map((chunk) => [chunk.hash, chunk])).values()];
    const indexes = new Map(distinct.map((chunk, index) => [chunk.hash, index]));
    const order = part.map((chunk) => indexes.get(chunk.hash)!);
    for (let attempts = 1; ; attempts += 1) {
      const fetched = await source.fetch(distinct, arena, run.signal);
      const offset = await start;
      if (offset === undefined) return undefined;
      const { transfer, ...packed } = packChunks(distinct, fetched);
      const sparse = this.#entry.work.sparse === 1;
      const reserve = offset === 0 && !sparse ? this.#entry.work.size : 0;
      const parts = [{ file: assembly.file, offset, reserve, sparse, chunks: order }];
      const input = { chunkSubKeys, ...packed, folders: [], entries: NO_ENTRIES, parts };
      const output = await pool.run('writeFiles', input, transfer);
      const failure = output.parts[0]?.failure;
      const sizes = sizesByHash(distinct, output.sizes);
      if (!failure) {
        const written = part.reduce((sum, chunk) => sum + sizes.get(chunk.hash)!, 0);
        // The next part begins where the tree says.
        if (written !== (lengthOf(part) ?? written)) assembly.failure ??= { reason: 'file_size_mismatch' };
        // Under its partial name the file can already be read.
        const target = locationOf(this.#entry, this.#entry.partialName);
        const repeated = repeatedChunks(part, sizes, { target, offset }, source);
        for (const { chunk, location } of repeated) source.wrote(chunk, location);
        assembly.repeated.push(...repeated);
        return offset + written;
      }
      const chunk = failure.chunk === undefined ? undefined : distinct[failure.chunk]!;
      source.forgetUnopened(distinct, sizes, fetched);
      if (!chunk || attempts === source.attempts) {
        assembly.failure ??= failure;
        assembly.failedChunk ??= chunk?.hash;
        return undefined;
      }
      if (!isFromTarget(fetched.get(chunk.hash))) await clock.sleep(retryDelay(attempts), run.signal);
    }
  }

  async #end(assembly: Assembly, parts: readonly Promise<number | undefined>[]): Promise<void> {
    const { work, folder, partialName } = this.#entry;
    const { run } = this.#context;
    const { file } = assembly;
    const end = (await Promise.all(parts)).at(-1);
    if (end !== work.size && !run.isStopping) assembly.failure ??= { reason: 'file_size_mismatch' };
    if (!assembly.failure && !run.isStopping) assembly.failure = await this.#endData(file);
    this.#guard(() => this.#finish(assembly));
    this.#guard(() => closeIn(folder.reference, partialName, file));
    folder.release();
    run.meter.done(0, 0, work.path);
  }

  /** Truncates what a failed attempt left and extends over a hole at the end. As for small files, data is synced first. */
  async #endData(file: number): Promise<WriteFailure | undefined> {
    const { size, sparse } = this.#entry.work;
    try {
      ftruncateSync(file, size);
      if (sparse === 1 || !canSyncFileSystem()) await promisify(fdatasync)(file);
      return undefined;
    } catch (error) {
      return writeFailureOf(error);
    }
  }

  #finish({ file, failure, failedChunk, repeated }: Assembly): void {
    const { work, folder, folderNames, name, partialName } = this.#entry;
    const { run } = this.#context;
    const partial = folder.pathOf(partialName);
    if (failure) run.failed(work, failure, failedChunk);
    if (failure || run.isStopping) {
      if (!failure && run.stoppedBy) run.failed(work, { reason: run.stoppedBy });
      unlinkIfPossible(partial);
      return;
    }
    try {
      const losses = finishFile(file, folder.reference, namingOf(this.#entry, run));
      run.addLosses(work.path, losses, [...folderNames, name]);
      run.succeeded(work);
      for (const { location } of repeated) location.target = locationOf(this.#entry, name);
    } catch (error) {
      unlinkIfPossible(partial);
      run.failed(work, writeFailureOf(error));
    }
  }

  /** Reports an unexpected error to the run, so that the file always ends. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#context.run.fail(error);
    }
  }
}

/** Returns the length of consecutive chunks; `undefined` if no tree says it. */
function lengthOf(chunks: readonly WantedChunk[]): number | undefined {
  return chunks.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
