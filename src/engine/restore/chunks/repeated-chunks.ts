import { TimeSlice } from '../time-slice.ts';

const DIGEST_DIGITS = 64;
/** Hex digits that tell chunks apart here; a number holds them exactly. Strangers that share them do no harm. */
const MARK_DIGITS = 12;

/** What identifies a chunk among those of one restore, nearly always. */
export type ChunkMark = number;

/** @param digests in hex, 64 digits each */
export function markOf(digests: string, index: number): ChunkMark {
  const start = index * DIGEST_DIGITS;
  return Number.parseInt(digests.slice(start, start + MARK_DIGITS), 16);
}

/**
 * Which chunks are needed more than once. Only for those is anything remembered, so memory goes with what repeats, and
 * with 8 bytes for each reference while they are counted.
 */
export async function findRepeated(lists: Iterable<string>): Promise<ReadonlySet<ChunkMark>> {
  const pace = new TimeSlice();
  let marks = new Float64Array(1024);
  let count = 0;
  for (const digests of lists) {
    if (pace.isDue) await pace.turn();
    for (let index = 0; index < digests.length / DIGEST_DIGITS; index += 1) {
      if (count === marks.length) {
        const larger = new Float64Array(count * 2);
        larger.set(marks);
        marks = larger;
      }
      marks[count] = markOf(digests, index);
      count += 1;
    }
  }
  const sorted = marks.subarray(0, count).sort();
  const repeated = new Set<ChunkMark>();
  for (let index = 1; index < count; index += 1) {
    if (sorted[index] === sorted[index - 1]) repeated.add(sorted[index]!);
  }
  return repeated;
}
