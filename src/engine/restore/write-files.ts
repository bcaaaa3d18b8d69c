import { closeSync, constants, ftruncateSync, openSync, readSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { ChunkKeys } from '../crypto/chunk-keys.ts';
import { openBlob } from '../crypto/blob.ts';
import { isHoldfastError, systemCodeOf, type ErrorCode } from '../errors.ts';
import { bytesOfSegment } from '../filesystem/entry-path.ts';
import { renameExclusiveSync } from '../filesystem/rename.ts';
import { releaseMemory } from '../workers/release.ts';
import type { TaskAnswer } from '../workers/tasks.ts';
import { ChunkMemory } from './chunk-memory.ts';
import { setFileMetadata, setLinkMetadata, type Metadata, type MetadataLoss } from './metadata.ts';
import { FULL_CODES } from './target.ts';
import { writeData } from './write-data.ts';
import { hash } from 'node:crypto';

/** A chunk to be written: its sealed blob, or a place where this restore has written it before. */
export type ChunkInput = Uint8Array | WrittenChunk | null;

export interface WrittenChunk {
  readonly path: string | Uint8Array;
  readonly offset: number;
  readonly length: number;
}

/** A name that takes the place of what has it (`replace`), or of nothing. */
interface Naming {
  /** Where it is made. */
  readonly partial: string | Uint8Array;
  readonly path: string | Uint8Array;
  readonly replace: boolean;
  readonly metadata: Metadata;
}

export interface FileToWrite extends Naming {
  readonly size: number;
  readonly sparse: boolean;
  /** Indexes of the input's chunks. */
  readonly chunks: readonly number[];
}

export interface LinkToWrite extends Naming {
  readonly target: string;
}

/** Some chunks of a large file that is open. */
export interface PartToWrite {
  readonly file: number;
  readonly offset: number;
  readonly sparse: boolean;
  readonly chunks: readonly number[];
}

export interface WriteFilesInput {
  readonly chunkSubKey: Uint8Array;
  /** 32 bytes for each chunk. */
  readonly digests: Uint8Array;
  readonly chunks: readonly ChunkInput[];
  readonly files: readonly FileToWrite[];
  readonly links: readonly LinkToWrite[];
  readonly parts: readonly PartToWrite[];
}

export interface WriteFailure {
  readonly reason: ErrorCode;
  /** Index of the chunk at fault. */
  readonly chunk?: number;
  /** The system's word. */
  readonly detail?: string;
}

export interface WriteOutcome {
  readonly failure?: WriteFailure;
  readonly losses?: readonly MetadataLoss[];
}

/** In the order of the input; nothing for what went well altogether. */
export interface WriteFilesOutput {
  readonly files: readonly (WriteOutcome | null)[];
  readonly links: readonly (WriteOutcome | null)[];
  readonly parts: readonly (WriteOutcome | null)[];
}

/**
 * Opens chunks, verifies each once, and writes what is made of them. A file gets its name when it is complete and has
 * everything; until then it stands under its partial name. Nothing of a chunk that fails is written.
 */
export function writeFiles(input: WriteFilesInput): TaskAnswer<WriteFilesOutput> {
  const opened = openAll(input);
  releaseMemory(input.chunks);
  return {
    value: {
      files: input.files.map((file) => outcomeOf(() => writeFile(file, opened))),
      links: input.links.map((link) => outcomeOf(() => writeLink(link))),
      parts: input.parts.map((part) => outcomeOf(() => writePart(part, opened))),
    },
  };
}

/**
 * Ends a file's making; used for large files too, when their last part is written.
 *
 * @param cut whether the file may have another length than its size: a hole at the end, or what a bad try left
 */
export function finishFile(file: number, naming: Naming, size: number, cut: boolean): readonly MetadataLoss[] {
  if (cut) ftruncateSync(file, size);
  const losses = setFileMetadata(file, pathOf(naming.partial), naming.metadata);
  giveName(naming);
  return losses;
}

class ChunkFailure extends Error {
  readonly failure: WriteFailure;

  constructor(failure: WriteFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** What went wrong, in the terms of a report; rethrows what is no failure of data or file system. */
export function writeFailureOf(error: unknown): WriteFailure {
  if (error instanceof ChunkFailure) return error.failure;
  const code = systemCodeOf(error);
  if (code === undefined) throw error;
  return { reason: FULL_CODES.has(code) ? 'target_full' : 'target_unwritable', detail: code };
}

type Opened = Buffer | ErrorCode;

function writeFile(file: FileToWrite, opened: readonly Opened[]): readonly MetadataLoss[] {
  const data = file.chunks.map((index) => dataOf(index, opened));
  const length = data.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length !== file.size) throw new ChunkFailure({ reason: 'file_size_mismatch' });
  const partial = pathOf(file.partial);
  const descriptor = openPartial(partial);
  try {
    let offset = 0;
    for (const chunk of data) {
      writeData(descriptor, chunk, offset, file.sparse);
      offset += chunk.length;
    }
    return finishFile(descriptor, file, file.size, file.sparse);
  } catch (error) {
    removeQuietly(partial);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Opens a file under its partial name, for its owner alone. */
export function openPartial(path: string | Buffer): number {
  return openSync(path, NEW_FILE, 0o600);
}

function writeLink(link: LinkToWrite): readonly MetadataLoss[] {
  const partial = pathOf(link.partial);
  symlinkSync(bytesOfSegment(link.target), partial);
  try {
    const losses = setLinkMetadata(partial, link.metadata);
    giveName(link);
    return losses;
  } catch (error) {
    removeQuietly(partial);
    throw error;
  }
}

function writePart(part: PartToWrite, opened: readonly Opened[]): readonly MetadataLoss[] {
  const data = part.chunks.map((index) => dataOf(index, opened));
  let { offset } = part;
  for (const chunk of data) {
    writeData(part.file, chunk, offset, part.sparse);
    offset += chunk.length;
  }
  return [];
}

function giveName({ partial, path, replace }: Naming): void {
  if (replace) renameSync(pathOf(partial), pathOf(path));
  else renameExclusiveSync(pathOf(partial), pathOf(path));
}

/** A path that came from another thread is no Buffer any more. */
function pathOf(path: string | Uint8Array): string | Buffer {
  return typeof path === 'string' ? path : Buffer.from(path.buffer, path.byteOffset, path.byteLength);
}

export function removeQuietly(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch {
    // It has its name already, or its folder is gone; a later run sweeps what is left.
  }
}

function dataOf(index: number, opened: readonly Opened[]): Buffer {
  const chunk = opened[index]!;
  if (typeof chunk === 'string') throw new ChunkFailure({ reason: chunk, chunk: index });
  return chunk;
}

const memory = new ChunkMemory();

function openAll(input: WriteFilesInput): readonly Opened[] {
  const keys = keysFor(input.chunkSubKey);
  memory.begin(input.chunks.reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0));
  return input.chunks.map((chunk, index) => {
    const digest = input.digests.subarray(index * 32, index * 32 + 32);
    return openOne(keys, chunk, digest);
  });
}

function openOne(keys: ChunkKeys, chunk: ChunkInput, digest: Uint8Array): Opened {
  if (chunk === null) return 'chunk_missing';
  if (!(chunk instanceof Uint8Array)) return readWritten(chunk, digest);
  try {
    return openBlob(keys.keyOf(digest), chunk, digest, memory.take(chunk.length));
  } catch (error) {
    if (isHoldfastError(error)) return error.code;
    throw error;
  }
}

/** What was written may have been changed since: then it is as good as corrupt, and gets downloaded. */
function readWritten({ path, offset, length }: WrittenChunk, digest: Uint8Array): Opened {
  const data = memory.take(length);
  try {
    const file = openSync(pathOf(path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      for (let done = 0, read = 1; done < length && read > 0; done += read) {
        read = readSync(file, data, done, length - done, offset + done);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return 'chunk_corrupt';
  }
  return hash('sha256', data, 'buffer').equals(digest) ? data : 'chunk_corrupt';
}

let lastKeys: { readonly subKey: Buffer; readonly keys: ChunkKeys } | undefined;

function keysFor(subKey: Uint8Array): ChunkKeys {
  if (!lastKeys?.subKey.equals(subKey)) lastKeys = { subKey: Buffer.from(subKey), keys: new ChunkKeys(subKey) };
  return lastKeys.keys;
}

function outcomeOf(work: () => readonly MetadataLoss[]): WriteOutcome | null {
  try {
    const losses = work();
    return losses.length === 0 ? null : { losses };
  } catch (error) {
    return { failure: writeFailureOf(error) };
  }
}
