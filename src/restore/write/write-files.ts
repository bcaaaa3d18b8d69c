import { fdatasyncSync, ftruncateSync, lstatSync, renameSync, symlinkSync, unlinkSync, writeSync } from 'node:fs';
import { systemCodeOf, type ErrorCode } from '../../base/errors/errors.ts';
import { chunkKeysOf } from '../../format/crypto/chunk-keys.ts';
import { makeSparseSync, reserveSync, startWritebackSync, syncFileSync } from '../../os/filesystem/durability.ts';
import { bytesOfSegment } from '../../os/filesystem/names/entry-path.ts';
import { identityOf, isVersion, versionOf } from '../../os/filesystem/file-identity.ts';
import {
  closeIn,
  createFileIn,
  pathIn,
  renameExclusiveIn,
  type FolderReference,
} from '../../os/filesystem/folder-reference.ts';
import { renameBesideSync, renameOverSync, tryExchangeSync } from '../../os/filesystem/rename.ts';
import { linkTypeOf } from '../../os/filesystem/windows/kept-attributes.ts';
import { releaseMemory } from '../../base/limits/release-memory.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { openPackedChunk, PlaintextMemory, type OpenedChunk } from '../../read/chunks/open-packed.ts';
import { packedChunkAt, packedDigestAt, type PackedChunks } from '../../read/chunks/packed-chunks.ts';
import { setFileMetadata, setLinkMetadata, setProtection, valuesOf, type MetadataLoss } from './metadata.ts';
import type { Metadata } from '../record/planned-entry.ts';
import { FULL_CODES } from './target.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';

/** The way in which a new entry gets its name. Names are segments of entry paths. */
export interface Naming {
  /** The name until it is complete. */
  readonly partialName: string;
  readonly name: string;
  /** True if it replaces what has the name; otherwise the name must be free. */
  readonly replace: boolean;
  /** What it may replace, by `identityOf`, or by `versionOf` if it was copied; anything by default. */
  readonly replaced?: string;
  readonly metadata: Metadata;
}

/** A name in a folder of the input. */
interface PlacedNaming extends Naming {
  /** Index into the input's folders. */
  readonly folder: number;
}

export interface FileToWrite extends PlacedNaming {
  readonly size: number;
  readonly sparse: boolean;
  /** Indexes into the input's chunks. */
  readonly chunks: readonly number[];
}

export interface LinkToWrite extends PlacedNaming {
  readonly target: string;
}

/** Consecutive chunks of a large file. */
export interface PartToWrite {
  /** Descriptor. */
  readonly file: number;
  /** The file's size, for its first part; 0 to reserve no space. */
  readonly reserve: number;
  readonly offset: number;
  readonly sparse: boolean;
  readonly chunks: readonly number[];
}

export interface EntriesToWrite {
  readonly files: readonly FileToWrite[];
  readonly links: readonly LinkToWrite[];
}

/** Used for input that has only parts. */
export const NO_ENTRIES = JSON.stringify({ files: [], links: [] } satisfies EntriesToWrite);

export interface WriteFilesInput {
  readonly chunkSubKeys: EpochKeys;
  readonly chunks: PackedChunks;
  readonly folders: readonly FolderReference[];
  /** `EntriesToWrite` as JSON: cloning hundreds of objects takes a multiple of the time that their text does. */
  readonly entries: string;
  readonly parts: readonly PartToWrite[];
}

export interface WriteFailure {
  readonly reason: ErrorCode;
  /** Index of the chunk at fault. */
  readonly chunk?: number;
  /** The operating system's error code. */
  readonly detail?: string;
}

export interface WriteOutcome {
  readonly failure?: WriteFailure;
  readonly losses?: readonly MetadataLoss[];
}

/** In the order of the input; `null` for complete success. */
export interface WriteFilesOutput {
  /** Bytes of each chunk's plaintext; 0 for one that could not be opened. */
  readonly sizes: Uint32Array;
  readonly files: readonly (WriteOutcome | null)[];
  readonly links: readonly (WriteOutcome | null)[];
  readonly parts: readonly (WriteOutcome | null)[];
}

/**
 * Opens chunks, verifies each once, and writes files, links and parts of large files. A file gets its name when it is
 * complete with all its metadata; until then it has its partial name. Nothing of a chunk that fails is written. Runs in a
 * worker thread.
 */
export function writeFiles(input: WriteFilesInput): TaskAnswer<WriteFilesOutput> {
  const opened = openAll(input);
  releaseMemory([...input.chunks.others.values()]);
  const { files, links } = JSON.parse(input.entries) as EntriesToWrite;
  const { folders } = input;
  const sizes = Uint32Array.from(opened, (chunk) => (typeof chunk === 'string' ? 0 : chunk.length));
  return {
    value: {
      sizes,
      files: files.map((file) => outcomeOf(() => writeFile(folders[file.folder]!, file, opened))),
      links: links.map((link) => outcomeOf(() => writeLink(folders[link.folder]!, link))),
      parts: input.parts.map((part) => outcomeOf(() => writePart(part, opened))),
    },
    transfer: [sizes.buffer],
  };
}

/** Gives a file with complete data its metadata and its name. */
export function finishFile(file: number, folder: FolderReference, naming: Naming): readonly MetadataLoss[] {
  const losses = setFileMetadata(file, pathIn(folder, naming.partialName), naming.metadata);
  giveName(folder, naming);
  return [...losses, ...setProtection(pathIn(folder, naming.name), naming.metadata)];
}

class ChunkFailure extends Error {
  readonly failure: WriteFailure;

  constructor(failure: WriteFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** Converts an error for the report; rethrows what is not a failure of data or file system. */
export function writeFailureOf(error: unknown): WriteFailure {
  if (error instanceof ChunkFailure) return error.failure;
  const code = systemCodeOf(error);
  if (code === undefined) throw error;
  return { reason: FULL_CODES.has(code) ? 'target_full' : 'target_unwritable', detail: code };
}

function writeFile(
  folder: FolderReference,
  file: FileToWrite,
  opened: readonly OpenedChunk[],
): readonly MetadataLoss[] {
  const data = file.chunks.map((index) => dataOf(index, opened));
  const length = data.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length !== file.size) throw new ChunkFailure({ reason: 'file_size_mismatch' });
  const descriptor = createFileIn(folder, file.partialName);
  try {
    if (file.sparse) makeSparseSync(pathIn(folder, file.partialName));
    let offset = 0;
    for (const chunk of data) {
      writeData(descriptor, chunk, offset, file.sparse);
      offset += chunk.length;
    }
    if (file.sparse) endSparse(descriptor, file.size);
    else syncFileSync(descriptor);
    return finishFile(descriptor, folder, file);
  } catch (error) {
    unlinkIfPossible(pathIn(folder, file.partialName));
    throw error;
  } finally {
    closeIn(folder, file.partialName, descriptor);
  }
}

/**
 * Extends a file over a hole at its end, and syncs it: otherwise the size may reach the disk before the data does,
 * and after a power failure the file would look complete.
 */
function endSparse(file: number, size: number): void {
  ftruncateSync(file, size);
  fdatasyncSync(file);
}

function writeLink(folder: FolderReference, link: LinkToWrite): readonly MetadataLoss[] {
  const partial = pathIn(folder, link.partialName);
  makeLink(link, partial);
  try {
    const losses = setLinkMetadata(partial, link.metadata);
    giveName(folder, link);
    return [...losses, ...setProtection(pathIn(folder, link.name), link.metadata)];
  } catch (error) {
    unlinkIfPossible(partial);
    throw error;
  }
}

function makeLink({ target, metadata: { xattrs } }: LinkToWrite, path: string | Buffer): void {
  // Windows has three kinds of links, and the target may not be there yet.
  const type = process.platform === 'win32' ? linkTypeOf(valuesOf(xattrs)) : undefined;
  try {
    symlinkSync(bytesOfSegment(target), path, type);
  } catch (error) {
    if (type === undefined || systemCodeOf(error) !== 'EPERM') throw error;
    throw Object.assign(new Error('this account may not create links'), { code: 'ELINKRIGHT', cause: error });
  }
}

function writePart(part: PartToWrite, opened: readonly OpenedChunk[]): readonly MetadataLoss[] {
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

function giveName(folder: FolderReference, { partialName, name, replace, replaced }: Naming): void {
  if (replace && replaced !== undefined) replaceKept(pathIn(folder, partialName), pathIn(folder, name), replaced);
  else if (replace) renameOverSync(pathIn(folder, partialName), pathIn(folder, name));
  else renameExclusiveIn(folder, partialName, name);
}

/**
 * Gives a file the name of one that was kept. Throws a system error EBUSY if the name no longer has that.
 *
 * @param kept by `identityOf` if it has a second name; by `versionOf` if it was copied
 */
export function replaceKept(partial: string | Buffer, path: string | Buffer, kept: string): void {
  if (exchangeKept(partial, path, kept)) return;
  throwIfChanged(path, kept);
  renameOverSync(partial, path);
}

/**
 * Replaces a file that was kept, and nothing else: the names are exchanged before the look at what was replaced, so that nothing can
 * come between. Returns false, having done nothing, where that is not possible.
 *
 * @param kept by `identityOf`; what was copied has no other name, and the exchange would change its version
 */
function exchangeKept(partial: string | Buffer, path: string | Buffer, kept: string): boolean {
  if (isVersion(kept)) return false;
  const restored = identityOf(lstatSync(partial, { bigint: true }));
  if (!tryExchangeSync(partial, path)) return false;
  if (identityOf(lstatSync(partial, { bigint: true })) === kept) {
    unlinkIfPossible(partial);
    return true;
  }
  try {
    tryExchangeSync(partial, path);
  } catch {
    // The restored file is gone again: what the application has saved goes back in any case.
    renameSync(partial, path);
  }
  const left = lstatSync(partial, { bigint: true, throwIfNoEntry: false });
  if (left && identityOf(left) !== restored) keepLaterSave(partial, path);
  throw changedError(path);
}

/** Keeps what an application saved between the two exchanges: it has the partial name, which is going to be removed. */
function keepLaterSave(partial: string | Buffer, path: string | Buffer): void {
  try {
    renameBesideSync(partial, path, 'saved during restore');
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    // As the application left it: its later save in the place of the earlier one.
    renameSync(partial, path);
  }
}

/**
 * Throws a system error EBUSY if a path no longer has what was kept: a version that an application has saved since then would be
 * lost.
 *
 * @param kept by `identityOf` if it has a second name; by `versionOf` if it was copied
 */
export function throwIfChanged(path: string | Buffer, kept: string): void {
  const now = lstatSync(path, { bigint: true });
  if (identityOf(now) === kept || versionOf(now) === kept) return;
  throw changedError(path);
}

function changedError(path: string | Buffer): Error {
  return Object.assign(new Error(`changed during the restore: ${path.toString()}`), { code: 'EBUSY' });
}

export function unlinkIfPossible(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch {
    // Renamed already, or its folder is gone; a later run removes what is left.
  }
}

function dataOf(index: number, opened: readonly OpenedChunk[]): Buffer {
  const chunk = opened[index]!;
  if (typeof chunk === 'string') throw new ChunkFailure({ reason: chunk, chunk: index });
  return chunk;
}

const memory = new PlaintextMemory();

function openAll({ chunkSubKeys, chunks }: WriteFilesInput): readonly OpenedChunk[] {
  const keys = chunkKeysOf(chunkSubKeys);
  const inputs = Array.from({ length: chunks.count }, (_, index) => packedChunkAt(chunks, index));
  memory.reset(inputs.reduce((sum, chunk) => sum + (chunk?.length ?? 0), 0));
  return inputs.map((chunk, index) => openPackedChunk(chunk, packedDigestAt(chunks, index), keys, memory));
}

function outcomeOf(work: () => readonly MetadataLoss[]): WriteOutcome | null {
  try {
    const losses = work();
    return losses.length === 0 ? null : { losses };
  } catch (error) {
    return { failure: writeFailureOf(error) };
  }
}

/** Holes consist of blocks of this size. */
const BLOCK_BYTES = 4096;
const ZEROES = Buffer.alloc(BLOCK_BYTES);

/** Writes at an offset. With `sparse`, leaves out blocks of zeroes: the file then has to be given its size in the end. */
function writeData(file: number, data: Buffer, offset: number, sparse: boolean): void {
  if (!sparse) {
    writeAll(file, data, offset);
    return;
  }
  let from = 0;
  while (from < data.length) {
    const filled = nextBlock(data, from, offset, false);
    const hole = nextBlock(data, filled, offset, true);
    if (hole > filled) writeAll(file, data.subarray(filled, hole), offset + filled);
    from = hole;
  }
}

/** The start of the first block at or after `from` that is all zeroes, or that is not. */
function nextBlock(data: Buffer, from: number, offset: number, zero: boolean): number {
  let start = from;
  while (start < data.length) {
    const end = Math.min(data.length, start + BLOCK_BYTES - ((offset + start) % BLOCK_BYTES));
    if (data.subarray(start, end).equals(ZEROES.subarray(0, end - start)) === zero) return start;
    start = end;
  }
  return data.length;
}

function writeAll(file: number, data: Buffer, offset: number): void {
  for (let done = 0; done < data.length;) {
    done += writeSync(file, data, done, data.length - done, offset + done);
  }
}
