import { fdatasync, ftruncateSync } from 'node:fs';
import { promisify } from 'node:util';
import { canSyncFileSystem } from '../../filesystem/durability.ts';
import type { BlobArena } from '../../transfer/blobs/blob-arena.ts';
import { closeIn, createFileIn } from '../../filesystem/folder-reference.ts';
import { isFromTarget, type ChunkPlace, type WantedChunk } from '../chunks/chunk-source.ts';
import { CHUNK_TRIES, pauseBeforeRetry } from '../chunks/open-chunks.ts';
import { packChunks } from '../chunks/packed-chunks.ts';
import { BATCH_BYTES, type BufferPool } from '../chunks/buffer-pool.ts';
import {
  isWorthRetrying,
  targetOf,
  wantedChunks,
  writtenChunks,
  type PlacedWork,
  type WritingParts,
} from './small-file-batch.ts';
import { finishFile, NO_ENTRIES, removeQuietly, writeFailureOf, type WriteFailure } from './write-files.ts';

/** Files above this size are written in parts, at their offsets, by several workers at once. */
export const LARGE_FILE_BYTES = BATCH_BYTES;

const syncData = promisify(fdatasync);

/** What came of the parts of one file. */
interface Assembly {
  failure: WriteFailure | undefined;
  /** `sha256:…` */
  failedChunk: string | undefined;
  /** A chunk turned out to have another length than its first download had: later parts stand at wrong offsets. */
  shifted: boolean;
  /** Repeated chunks, for others to read from this file. */
  readonly written: { readonly chunk: WantedChunk; readonly place: ChunkPlace }[];
}

interface Part {
  readonly chunks: readonly WantedChunk[];
  /** Where it begins; nothing where the file has failed. */
  readonly start: Promise<number | undefined>;
  /** Tells the next part where it begins. */
  readonly end: (offset: number | undefined) => void;
}

/**
 * One large file. A manifest has no chunk sizes, so a part's offset is known when everything before it has been
 * downloaded; lengths are believed before they are verified, so that parts are opened side by side. Where one was wrong,
 * the file is made once more, part after part.
 */
export class LargeFile {
  readonly #entry: PlacedWork;
  readonly #parts: WritingParts;
  readonly #rooms: BufferPool;

  /** @param entry whose folder is retained until the file is done */
  constructor(entry: PlacedWork, parts: WritingParts, rooms: BufferPool) {
    this.#entry = entry;
    this.#parts = parts;
    this.#rooms = rooms;
    entry.folder.retain();
  }

  /**
   * Resolves when the last part is under way, with a promise of the end. Never rejects: what goes wrong is told to the
   * run.
   */
  async start(): Promise<{ readonly end: Promise<void> }> {
    const file = this.#open();
    if (file === undefined) return { end: Promise.resolve() };
    const { assembly, parts } = await this.#startParts(file, false);
    return { end: this.#end(file, assembly, parts) };
  }

  #open(): number | undefined {
    const { work, folder, partialName } = this.#entry;
    try {
      return createFileIn(folder.reference, partialName);
    } catch (error) {
      this.#report(() => this.#parts.run.failed(work, writeFailureOf(error)));
      folder.release();
      return undefined;
    }
  }

  async #startParts(file: number, careful: boolean): Promise<{ assembly: Assembly; parts: Promise<void>[] }> {
    const { work } = this.#entry;
    const assembly: Assembly = { failure: undefined, failedChunk: undefined, shifted: false, written: [] };
    const parts: Promise<void>[] = [];
    const chunks = wantedChunks(work, this.#parts.sessions);
    const count = Math.max(1, Math.floor(BATCH_BYTES / Math.max(1, work.size / chunks.length)));
    let start: Promise<number | undefined> = Promise.resolve(0);
    for (let first = 0; first < chunks.length; first += count) {
      const room = await this.#rooms.take();
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const part = { chunks: chunks.slice(first, first + count), start, end: resolve };
      parts.push(this.#runPart(file, part, room, assembly, careful));
      start = promise;
    }
    parts.push(start.then((end) => this.#checkSize(end, assembly)));
    return { assembly, parts };
  }

  #checkSize(end: number | undefined, assembly: Assembly): void {
    if (end !== undefined && end !== this.#entry.work.size) assembly.failure ??= { reason: 'file_size_mismatch' };
  }

  async #runPart(file: number, part: Part, room: BlobArena, assembly: Assembly, careful: boolean): Promise<void> {
    try {
      if (this.#parts.run.ending || assembly.failure) return;
      await this.#writePart(file, part, room, assembly, careful);
    } catch (error) {
      this.#parts.run.fail(error);
    } finally {
      part.end(undefined);
      this.#rooms.give(room);
    }
  }

  async #writePart(file: number, part: Part, room: BlobArena, assembly: Assembly, careful: boolean): Promise<void> {
    const { run, source, pool, clock, chunkSubKey } = this.#parts;
    const distinct = [...new Map(part.chunks.map((chunk) => [chunk.hash, chunk])).values()];
    const indexes = new Map(distinct.map((chunk, index) => [chunk.hash, index]));
    const order = part.chunks.map((chunk) => indexes.get(chunk.hash)!);
    let announced: number | undefined;
    for (let tries = 1; ; tries += 1) {
      const got = await source.get(distinct, room, run.signal);
      const lengths = part.chunks.map((chunk) => got.get(chunk.hash)?.length);
      const length = lengths.every((known) => known !== undefined)
        ? lengths.reduce((sum, each) => sum + each, 0)
        : undefined;
      const offset = await part.start;
      if (offset === undefined) return;
      if (!careful && announced === undefined && length !== undefined) part.end(offset + (announced = length));
      const { transfer, ...packed } = packChunks(distinct, got);
      const sparse = this.#entry.work.sparse === 1;
      const reserve = offset === 0 && !sparse ? this.#entry.work.size : 0;
      const parts = [{ file, offset, reserve, sparse, chunks: order }];
      const input = { chunkSubKey, ...packed, folders: [], entries: NO_ENTRIES, parts };
      const output = await pool.run('writeFiles', input, transfer);
      const failure = output.parts[0]?.failure;
      if (!failure) {
        assembly.shifted ||= announced !== undefined && announced !== length;
        part.end(offset + length!);
        this.#noteWritten(writtenChunks(part.chunks, got, this.#partialTarget, offset, source), assembly);
        return;
      }
      const chunk = failure.chunk === undefined ? undefined : distinct[failure.chunk];
      if (chunk) source.forget(chunk, got.get(chunk.hash));
      if (!isWorthRetrying(failure) || tries === CHUNK_TRIES) {
        assembly.failure ??= failure;
        assembly.failedChunk ??= chunk?.hash;
        return;
      }
      if (!chunk || !isFromTarget(got.get(chunk.hash))) await clock.sleep(pauseBeforeRetry(tries), run.signal);
    }
  }

  /** Under its partial name the file can be read already by those that need the same chunks. */
  get #partialTarget(): string {
    return targetOf(this.#entry, this.#entry.partialName);
  }

  #noteWritten(written: Assembly['written'], assembly: Assembly): void {
    for (const { chunk, place } of written) this.#parts.source.wrote(chunk, place);
    assembly.written.push(...written);
  }

  async #end(file: number, first: Assembly, parts: readonly Promise<void>[]): Promise<void> {
    const { work, folder } = this.#entry;
    let assembly = first;
    await Promise.all(parts);
    if (assembly.shifted && !this.#parts.run.ending) {
      this.#report(() => ftruncateSync(file, 0));
      const again = await this.#startParts(file, true);
      await Promise.all(again.parts);
      ({ assembly } = again);
    }
    if (!assembly.failure && !this.#parts.run.ending) assembly.failure = await this.#endData(file);
    this.#report(() => this.#finish(file, assembly));
    this.#report(() => closeIn(folder.reference, this.#entry.partialName, file));
    folder.release();
    this.#parts.run.meter.done(0, 0, work.path);
  }

  /** What a bad try left is cut off, and a hole at the end is made; as for small files, a set size waits for the data. */
  async #endData(file: number): Promise<WriteFailure | undefined> {
    const { size, sparse } = this.#entry.work;
    try {
      ftruncateSync(file, size);
      if (sparse === 1 || !canSyncFileSystem()) await syncData(file);
      return undefined;
    } catch (error) {
      return writeFailureOf(error);
    }
  }

  #finish(file: number, { failure, failedChunk, written }: Assembly): void {
    const { work, folder, name, partialName } = this.#entry;
    const { run } = this.#parts;
    const partial = folder.pathOf(partialName);
    if (failure) run.failed(work, failure, failedChunk);
    if (failure || run.ending) {
      if (!failure && run.stoppedBy) run.failed(work, { reason: run.stoppedBy });
      removeQuietly(partial);
      return;
    }
    const metadata = run.metadataOf(work);
    const naming = { partialName, name, replace: work.action === 'replace', metadata };
    try {
      run.lost(work.path, finishFile(file, folder.reference, naming));
      run.succeeded(work);
      for (const { place } of written) place.target = targetOf(this.#entry, name);
    } catch (error) {
      removeQuietly(partial);
      run.failed(work, writeFailureOf(error));
    }
  }

  /** A bug in the middle of an end must not leave the run without one. */
  #report(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.run.fail(error);
    }
  }
}
