import { bufferOf } from '../../base/buffer-of.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { TimeSlice } from '../time-slice.ts';

const DIGEST_DIGITS = 64;
/** Leading hex digits of a digest that make up its mark; a number holds them exactly. A collision does no harm. */
const MARK_DIGITS = 12;
const MARK_BYTES = MARK_DIGITS / 2;

/** Identifies a chunk among those of one restore, nearly always uniquely. */
export type ChunkMark = number;

/** A chunk to be fetched. */
export interface WantedChunk {
  /** `sha256:<hex>` */
  readonly hash: string;
  readonly mark: ChunkMark;
  /** Bytes of the plaintext; `undefined` without a tree. */
  readonly size: number | undefined;
  /** The restore session that serves it. */
  readonly session: string;
}

/** The chunks of a planned file. */
export interface FileChunks {
  /** Digests in file order, 64 hex digits each; `null` if the manifest has no such file. */
  readonly chunks: string | null;
  /** Bytes of each plaintext, 32-bit big-endian; `null` without a tree. */
  readonly sizes: Buffer | null;
  /** Index into the plan's restore sessions. */
  readonly session: number;
}

/** The chunks of a file, in file order. */
export function wantedChunks(file: FileChunks, sessions: readonly string[]): readonly WantedChunk[] {
  const digests = file.chunks ?? '';
  const session = sessions[file.session] ?? '';
  const wanted: WantedChunk[] = [];
  for (let start = 0; start < digests.length; start += DIGEST_DIGITS) {
    const hash = formatChunkHash(digests.slice(start, start + DIGEST_DIGITS));
    const size = file.sizes?.readUInt32BE((start / DIGEST_DIGITS) * 4);
    wanted.push({ hash, mark: markAt(digests, start), size, session });
  }
  return wanted;
}

function markAt(digests: string, start: number): ChunkMark {
  return Number.parseInt(digests.slice(start, start + MARK_DIGITS), 16);
}

/** Hashes grouped by the session that serves them. */
export function hashesBySession(chunks: readonly WantedChunk[]): ReadonlyMap<string, readonly string[]> {
  const sessions = new Map<string, string[]>();
  for (const { session, hash } of chunks) {
    const hashes = sessions.get(session);
    if (hashes) hashes.push(hash);
    else sessions.set(session, [hash]);
  }
  return sessions;
}

/** The chunks that files refer to. */
export interface ReferencedChunks {
  /** Those that are referenced more than once: only for these is anything remembered. */
  readonly repeated: ReadonlySet<ChunkMark>;
  /** Returns whether a chunk is referenced; wrongly true in rare cases. */
  has(digest: Uint8Array): boolean;
}

/**
 * Collects the chunks that are referenced. Takes 8 bytes of memory for each reference.
 *
 * @param lists digests of each file, 64 hex digits each
 */
export async function collectReferenced(lists: Iterable<string>): Promise<ReferencedChunks> {
  const slice = new TimeSlice();
  let marks = new Float64Array(1024);
  let count = 0;
  for (const digests of lists) {
    if (slice.isOver) await slice.yield();
    for (let start = 0; start < digests.length; start += DIGEST_DIGITS) {
      if (count === marks.length) {
        const larger = new Float64Array(count * 2);
        larger.set(marks);
        marks = larger;
      }
      marks[count] = markAt(digests, start);
      count += 1;
    }
  }
  const sorted = marks.subarray(0, count).sort();
  const repeated = new Set<ChunkMark>();
  for (let index = 1; index < count; index += 1) {
    if (sorted[index] === sorted[index - 1]) repeated.add(sorted[index]!);
  }
  return { repeated, has: (digest) => isIn(sorted, bufferOf(digest).readUIntBE(0, MARK_BYTES)) };
}

/** Searches an ascending array. */
function isIn(sorted: Float64Array, mark: ChunkMark): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < mark) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === mark;
}
