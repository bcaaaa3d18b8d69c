import {
  closeSync,
  constants,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { chunkKeysOf, type ChunkKeys } from '../../crypto/chunk-keys.ts';
import { openBlob } from '../../crypto/blob.ts';
import { isHoldfastError, systemCodeOf, type ErrorCode } from '../../../base/errors.ts';
import { reserveSync, startWritebackSync, syncFileSync } from '../../filesystem/durability.ts';
import { bytesOfSegment } from '../../filesystem/entry-path.ts';
import {
  closeIn,
  createFileIn,
  pathIn,
  renameExclusiveIn,
  type FolderReference,
} from '../../filesystem/folder-reference.ts';
import { releaseMemory } from '../../../base/release-memory.ts';
import type { TaskAnswer } from '../../../base/thread-pool.ts';
import { PlaintextMemory } from '../chunks/plaintext-memory.ts';
import { packedChunkAt, type ChunkInput, type PackedChunks, type WrittenChunk } from '../chunks/packed-chunks.ts';
import { setFileMetadata, setLinkMetadata, type Metadata, type MetadataLoss } from './metadata.ts';
import { FULL_CODES } from './target.ts';
import { writeData } from './write-data.ts';
import { hash } from 'node:crypto';

/** A name that takes the place of what has it (`replace`), or of nothing. Names are segments of entry paths. */
export interface Naming {
  /** The name under which it is made. */
  readonly partialName: string;
  readonly name: string;
  readonly replace: boolean;
  readonly metadata: Metadata;
}

/** A name in one of the input's folders. */
interface PlacedNaming extends Naming {
  /** Index. */
  readonly folder: number;
}

export interface FileToWrite extends PlacedNaming {
  readonly size: number;
  readonly sparse: boolean;
  /** Indexes of the input's chunks. */
  readonly chunks: readonly number[];
}

export interface LinkToWrite extends PlacedNaming {
  readonly target: string;
}

/** Some chunks of a large file that is open. */
export interface PartToWrite {
  readonly file: number;
  /** Bytes that the file will have, for the part that comes first; 0 where no room is to be reserved. */
  readonly reserve: number;
  readonly offset: number;
  readonly sparse: boolean;
  readonly chunks: readonly number[];
}

export interface EntriesToWrite {
  readonly files: readonly FileToWrite[];
  readonly links: readonly LinkToWrite[];
}

/** For input that has parts alone. */
export const NO_ENTRIES = JSON.stringify({ files: [], links: [] } satisfies EntriesToWrite);

export interface WriteFilesInput {
  readonly chunkSubKey: Uint8Array;
  readonly chunks: PackedChunks;
  readonly folders: readonly FolderReference[];
  /** `EntriesToWrite` as JSON: hundreds of objects take a message a multiple of the time that their text does. */
  readonly entries: string;
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
  releaseMemory([...input.chunks.others.values()]);
  const { files, links } = JSON.parse(input.entries) as EntriesToWrite;
  const { folders } = input;
  return {
    value: {
      files: files.map((file) => outcomeOf(() => writeFile(folders[file.folder]!, file, opened))),
      links: links.map((link) => outcomeOf(() => writeLink(folders[link.folder]!, link))),
      parts: input.parts.map((part) => outcomeOf(() => writePart(part, opened))),
    },
  };
}

/** Ends the making of a file whose data is whole; used for large files too, when their last part is written. */
export function finishFile(file: number, folder: FolderReference, naming: Naming): readonly MetadataLoss[] {
  const losses = setFileMetadata(file, pathIn(folder, naming.partialName), naming.metadata);
  giveName(folder, naming);
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

function writeFile(folder: FolderReference, file: FileToWrite, opened: readonly Opened[]): readonly MetadataLoss[] {
  const data = file.chunks.map((index) => dataOf(index, opened));
  const length = data.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length !== file.size) throw new ChunkFailure({ reason: 'file_size_mismatch' });
  const descriptor = createFileIn(folder, file.partialName);
  try {
    let offset = 0;
    for (const chunk of data) {
      writeData(descriptor, chunk, offset, file.sparse);
      offset += chunk.length;
    }
    if (file.sparse) endSparse(descriptor, file.size);
    else syncFileSync(descriptor);
    return finishFile(descriptor, folder, file);
  } catch (error) {
    removeQuietly(pathIn(folder, file.partialName));
    throw error;
  } finally {
    closeIn(folder, file.partialName, descriptor);
  }
}

/**
 * A hole at the end has to be made. And a size that was set may reach the disk before the data does: after a power cut,
 * nothing would tell the file from a whole one.
 */
function endSparse(file: number, size: number): void {
  ftruncateSync(file, size);
  fdatasyncSync(file);
}

function writeLink(folder: FolderReference, link: LinkToWrite): readonly MetadataLoss[] {
  const partial = pathIn(folder, link.partialName);
  symlinkSync(bytesOfSegment(link.target), partial);
  try {
    const losses = setLinkMetadata(partial, link.metadata);
    giveName(folder, link);
    return losses;
  } catch (error) {
    removeQuietly(partial);
    throw error;
  }
}

function writePart(part: PartToWrite, opened: readonly Opened[]): readonly MetadataLoss[] {
  const data = part.chunks.map((index) => dataOf(index, opened));
  if (part.reserve > 0) reserveSync(part.file, part.reserve);
  let { offset } = part;
  for (const chunk of data) {
    writeData(part.file, chunk, offset, part.sparse);
    offset += chunk.length;
  }
  startWritebackSync(part.file, part.offset, offset - part.offset);
  return [];
}

function giveName(folder: FolderReference, { partialName, name, replace }: Naming): void {
  if (replace) renameSync(pathIn(folder, partialName), pathIn(folder, name));
  else renameExclusiveIn(folder, partialName, name);
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

const memory = new PlaintextMemory();

function openAll({ chunkSubKey, chunks }: WriteFilesInput): readonly Opened[] {
  const keys = chunkKeysOf(chunkSubKey);
  const inputs = Array.from({ length: chunks.count }, (_, index) => packedChunkAt(chunks, index));
  memory.begin(inputs.reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0));
  return inputs.map((chunk, index) => openOne(keys, chunk, chunks.digests.subarray(index * 32, index * 32 + 32)));
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

function outcomeOf(work: () => readonly MetadataLoss[]): WriteOutcome | null {
  try {
    const losses = work();
    return losses.length === 0 ? null : { losses };
  } catch (error) {
    return { failure: writeFailureOf(error) };
  }
}
