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

/** One attempt to write all parts of a file. */
interface Assembly {
  /** Descriptor. */
  readonly file: number;
  /** Starts a part only after the previous one has been verified. */
  readonly sequential: boolean;
  failure: WriteFailure | undefined;
  /** `sha256:…` */
  failedChunk: string | undefined;
  /** A chunk turned out to have a different length than its first download: later parts are at wrong offsets. */
  shifted: boolean;
  /** Repeated chunks that others can read from this file. */
  readonly repeated: RepeatedChunk[];
}

interface Part {
  readonly chunks: readonly WantedChunk[];
  /** Its offset; `undefined` if the file has failed. */
  readonly start: Promise<number | undefined>;
  /** Resolves the next part's offset. */
  readonly end: (offset: number | undefined) => void;
}

/**
 * Writes one large file. A part's offset is known when everything before it has been downloaded: from the tree, and without
 * one from the lengths of the blobs, or once they are opened if they are compressed. Lengths are trusted before they are
 * verified, so that parts are opened concurrently. If one was wrong, the file is written once more, part after part.
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
    const { assembly, parts } = await this.#startParts(file, false);
    return { end: this.#end(assembly, parts) };
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

  async #startParts(file: number, sequential: boolean): Promise<{ assembly: Assembly; parts: Promise<void>[] }> {
    const { work } = this.#entry;
    const state = { failure: undefined, failedChunk: undefined, shifted: false, repeated: [] };
    const assembly: Assembly = { file, sequential, ...state };
    const parts: Promise<void>[] = [];
    const chunks = wantedChunks(work, this.#context.sessions);
    const count = Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, work.size / chunks.length)));
    let start: Promise<number | undefined> = Promise.resolve(0);
    for (let first = 0; first < chunks.length; first += count) {
      const arena = await this.#arenas.acquire();
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      parts.push(this.#runPart({ chunks: chunks.slice(first, first + count), start, end: resolve }, arena, assembly));
      start = promise;
    }
    parts.push(start.then((end) => this.#checkSize(end, assembly)));
    return { assembly, parts };
  }

  #checkSize(end: number | undefined, assembly: Assembly): void {
    if (end !== undefined && end !== this.#entry.work.size) assembly.failure ??= { reason: 'file_size_mismatch' };
  }

  async #runPart(part: Part, arena: BlobArena, assembly: Assembly): Promise<void> {
    try {
      if (this.#context.run.isStopping || assembly.failure) return;
      await this.#writePart(part, arena, assembly);
    } catch (error) {
      this.#context.run.fail(error);
    } finally {
      part.end(undefined);
      this.#arenas.release(arena);
    }
  }

  async #writePart(part: Part, arena: BlobArena, assembly: Assembly): Promise<void> {
    const { run, source, pool, clock, chunkSubKeys } = this.#context;
    const { file, sequential } = assembly;
    const distinct = [...new Map(part.chunks.map((chunk) => [chunk.hash, chunk])).values()];
    const indexes = new Map(distinct.map((chunk, index) => [chunk.hash, index]));
    const order = part.chunks.map((chunk) => indexes.get(chunk.hash)!);
    let announced: number | undefined;
    for (let attempts = 1; ; attempts += 1) {
      const fetched = await source.fetch(distinct, arena, run.signal);
      const lengths = part.chunks.map((chunk) => fetched.get(chunk.hash)?.length);
      const length = lengths.every((known) => known !== undefined)
        ? lengths.reduce((sum, each) => sum + each, 0)
        : undefined;
      const offset = await part.start;
      if (offset === undefined) return;
      if (!sequential && announced === undefined && length !== undefined) part.end(offset + (announced = length));
      const { transfer, ...packed } = packChunks(distinct, fetched);
      const sparse = this.#entry.work.sparse === 1;
      const reserve = offset === 0 && !sparse ? this.#entry.work.size : 0;
      const parts = [{ file, offset, reserve, sparse, chunks: order }];
      const input = { chunkSubKeys, ...packed, folders: [], entries: NO_ENTRIES, parts };
      const output = await pool.run('writeFiles', input, transfer);
      const failure = output.parts[0]?.failure;
      if (!failure) {
        const sizes = sizesByHash(distinct, output.sizes);
        const written = part.chunks.reduce((sum, chunk) => sum + sizes.get(chunk.hash)!, 0);
        assembly.shifted ||= announced !== undefined && announced !== written;
        part.end(offset + written);
        // Under its partial name the file can already be read.
        const target = locationOf(this.#entry, this.#entry.partialName);
        const repeated = repeatedChunks(part.chunks, sizes, { target, offset }, source);
        for (const { chunk, location } of repeated) source.wrote(chunk, location);
        assembly.repeated.push(...repeated);
        return;
      }
      const chunk = failure.chunk === undefined ? undefined : distinct[failure.chunk]!;
      source.forgetUnopened(distinct, sizesByHash(distinct, output.sizes), fetched);
      if (!chunk || attempts === source.attempts) {
        assembly.failure ??= failure;
        assembly.failedChunk ??= chunk?.hash;
        return;
      }
      if (!isFromTarget(fetched.get(chunk.hash))) await clock.sleep(retryDelay(attempts), run.signal);
    }
  }

  async #end(first: Assembly, parts: readonly Promise<void>[]): Promise<void> {
    const { work, folder, partialName } = this.#entry;
    const { run } = this.#context;
    const { file } = first;
    let assembly = first;
    await Promise.all(parts);
    if (assembly.shifted && !run.isStopping) {
      this.#guard(() => ftruncateSync(file, 0));
      const again = await this.#startParts(file, true);
      await Promise.all(again.parts);
      ({ assembly } = again);
    }
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
