import { hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import {
  hasGrown,
  mayStillChange,
  packStat,
  hasSameSignature,
  sizeIn,
  STAT_RECORD_BYTES,
  unreliableStat,
} from '../../os/filesystem/stat-record.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { refuseOnline } from '../../os/filesystem/online/refuse-online.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../../format/chunks/chunk-list.ts';
import { createChunker, MAX_CHUNK, type Chunker } from './cut/fastcdc.ts';
import { FileKind, readBeginning } from './file-kind.ts';
import { ContentProbe } from './content-probe.ts';
import { Sealing, type SealingRequest } from './sealing.ts';
import { READ_FLAGS } from '../../os/filesystem/read-flags.ts';
import { MIB } from '../../model/units.ts';

/** Files to read, from the beginning or from the end of an earlier task. */
export interface ChunkFilesInput {
  readonly paths: readonly string[];
  /** Start in the first file; the others start at 0. */
  readonly offset: number;
  /** Packed stat of the first file when its first part was read; given unless `offset` is 0. */
  readonly stat?: Uint8Array;
  /** Bytes after which a file is returned unfinished, for progress and interruption. */
  readonly limit: number;
  /** Goes on with a first file that has grown since its first part was read, up to the size that it had then. */
  readonly mayGrow?: boolean;
  /** Fails files that are online only with `EONLINE`, in place of downloading them. */
  readonly skipsOnline?: boolean;
  /** Seals the chunks as they are read. */
  readonly seal?: SealingRequest | undefined;
}

export const READ = 0;
/** The limit was reached. The file has more chunks. */
export const UNFINISHED = 1;
/** The file changed during each attempt; the last attempt's chunks. */
export const UNSTABLE = 2;
/** The file changed since its first part was read; its chunks are invalid. */
export const CHANGED = 3;
export const FAILED = 4;
/** The file grew during each attempt; the chunks up to the size that it had at the beginning. */
export const GROWN = 5;

export interface ChunkFilesOutput {
  /** One of the constants above for each path. */
  readonly states: Uint8Array;
  /** Number of chunks for each path. */
  readonly counts: Uint32Array;
  /** Packed stats at the time of reading, concatenated. */
  readonly stats: Uint8Array;
  /** Chunk lists, concatenated. */
  readonly chunks: Uint8Array;
  /** System error codes by index in `paths`. */
  readonly failures: readonly (readonly [index: number, code: string])[];
  /** Indexes of the sealed records of `chunks`, in the order of their blobs. */
  readonly sealed: Uint32Array;
  /** Bytes of each of these blobs. */
  readonly sealedLengths: Uint32Array;
  /** What was seen in each path's content: flags of content-probe.ts. */
  readonly signs: Uint8Array;
}

type FilePart = Pick<ChunkFilesInput, 'offset' | 'limit' | 'stat' | 'mayGrow' | 'skipsOnline'>;

const WINDOW_BYTES = 8 * MIB;
const TRIES = 3;
let chunker: Chunker | undefined;
let list = Buffer.allocUnsafeSlow(CHUNK_RECORD_BYTES * 4096);
let listed = 0;
let sealing: Sealing | undefined;
/** What is seen in the current file. */
let probe = new ContentProbe('');

/** Reads, chunks and hashes files, and seals their chunks if requested. Runs in a worker thread. */
export function chunkFiles(input: ChunkFilesInput): TaskAnswer<ChunkFilesOutput> {
  const { limit, skipsOnline = false } = input;
  const count = input.paths.length;
  const states = new Uint8Array(count);
  const counts = new Uint32Array(count);
  const stats = Buffer.allocUnsafeSlow(count * STAT_RECORD_BYTES);
  const signs = new Uint8Array(count);
  const failures: [number, string][] = [];
  listed = 0;
  sealing = input.seal && new Sealing(input.seal);
  for (const [index, path] of input.paths.entries()) {
    const before = listed;
    const mark = sealing?.mark;
    sealing?.startFile(index, path);
    const stat = stats.subarray(index * STAT_RECORD_BYTES, (index + 1) * STAT_RECORD_BYTES);
    probe = new ContentProbe(path);
    try {
      states[index] = readFile(path, index === 0 ? input : { offset: 0, limit, skipsOnline }, stat);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      listed = before;
      if (mark) sealing?.rewind(mark);
      states[index] = FAILED;
      failures.push([index, code]);
    }
    counts[index] = listed - before;
    signs[index] = probe.signs;
  }
  const chunks = Buffer.allocUnsafeSlow(listed * CHUNK_RECORD_BYTES);
  list.copy(chunks, 0, 0, chunks.length);
  const sealed = sealing?.sealed() ?? new Uint32Array();
  const sealedLengths = sealing?.lengths() ?? new Uint32Array();
  sealing = undefined;
  const value = { states, counts, stats, chunks, failures, sealed, sealedLengths, signs };
  const { buffer } = sealedLengths;
  const transfer = [states.buffer, counts.buffer, stats.buffer, chunks.buffer, sealed.buffer, buffer, signs.buffer];
  return { value, transfer };
}

/** @param stat receives the packed stat of the bytes that were read */
function readFile(path: string, part: FilePart, stat: Buffer): number {
  const { offset, limit, stat: earlier, mayGrow = false } = part;
  if (part.skipsOnline) refuseOnline(path);
  const file = openSync(fileSystemPath(path), READ_FLAGS);
  try {
    const first = listed;
    const mark = sealing?.mark;
    for (let attempt = 1; ; attempt += 1) {
      listed = first;
      if (mark) sealing?.rewind(mark);
      const before = fstatSync(file, { bigint: true });
      if (!before.isFile()) throw Object.assign(new Error(path), { code: 'ENOTREG' });
      packInto(stat, before);
      const isSame = !earlier || hasSameSignature(earlier, stat);
      if (!isSame) {
        if (!mayGrow || !hasGrown(earlier, stat)) return CHANGED;
        stat.set(earlier);
      }
      const size = sizeIn(stat);
      const end = cutFile({ file, path }, offset, size, limit);
      if (end < size && end - offset >= limit) return UNFINISHED;
      const after = fstatSync(file, { bigint: true });
      const isUntouched = after.mtimeNs === before.mtimeNs && after.ctimeNs === before.ctimeNs;
      if (isSame && isUntouched && end === size) {
        if (mayStillChange(after, Date.now())) unreliableStat(stat, end);
        return READ;
      }
      const isPrefix = end === size && Number(after.size) > size;
      if (offset > 0 && !(mayGrow && isPrefix)) return CHANGED;
      if (offset > 0 || attempt === TRIES) {
        unreliableStat(stat, end);
        return isPrefix ? GROWN : UNSTABLE;
      }
    }
  } finally {
    closeSync(file);
  }
}

const words = new BigInt64Array(STAT_RECORD_BYTES / 8);
const packed = Buffer.from(words.buffer);

function packInto(target: Buffer, stat: BigIntStats): void {
  packStat(stat, words);
  packed.copy(target);
}

interface OpenFile {
  /** Descriptor. */
  readonly file: number;
  readonly path: string;
}

/** Chunks the bytes from `offset` to `size`, or `limit` bytes of them. Returns the end. */
function cutFile({ file, path }: OpenFile, offset: number, size: number, limit: number): number {
  chunker ??= createChunker(WINDOW_BYTES);
  const { window } = chunker;
  let position = offset;
  let start = 0;
  let end = 0;
  let atEnd = false;
  const kind = new FileKind(path, (bytes) =>
    position === 0 ? window.subarray(start, Math.min(end, start + bytes)) : readBeginning(file, bytes),
  );
  while (position - offset < limit) {
    if (!atEnd && end - start < MAX_CHUNK) {
      window.copyWithin(0, start, end);
      end -= start;
      start = 0;
      const wanted = Math.min(window.length - end, Math.max(1, size - position - end));
      const read = readSync(file, window, end, wanted, position + end);
      end += read;
      atEnd = read === 0 || position + end >= size;
      continue;
    }
    if (start === end) break;
    const length = chunker.cut(start, end);
    const bytes = window.subarray(start, start + length);
    if (position === 0) probe.addFirst(bytes);
    if (position + length >= size) probe.addLast(bytes);
    const digest = hash('sha256', bytes, 'buffer');
    sealing?.seal(listed, digest, bytes, kind);
    append(digest, length);
    start += length;
    position += length;
  }
  return position;
}

function append(digest: Buffer, length: number): void {
  if ((listed + 1) * CHUNK_RECORD_BYTES > list.length) {
    const larger = Buffer.allocUnsafeSlow(list.length * 2);
    list.copy(larger);
    list = larger;
  }
  writeChunkRecord(list, listed, digest, length);
  listed += 1;
}
