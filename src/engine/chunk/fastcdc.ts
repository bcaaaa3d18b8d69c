import { GEAR } from './gear.ts';

/** Bytes. Nothing but a file's last chunk is shorter than MIN_CHUNK, and none is longer than MAX_CHUNK. */
export const MIN_CHUNK = 256 * 1024;
export const NORMAL_CHUNK = 1024 * 1024;
export const MAX_CHUNK = 4 * 1024 * 1024;

/** Bytes before a cut that decide on it: a 32-bit gear hash has shifted out all that came earlier. */
const HASH_BYTES = 32;

/**
 * Normalised chunking, level 2: 20 bits would give 1 MiB, so 22 have to be zero up to the normal size and 18 after
 * it. The highest bits have seen the most bytes; bit 31 stays out so that two bytes can be taken in one step.
 */
const STRICT_MASK = 0x7f_ff_fe_00;
const LOOSE_MASK = 0x7f_ff_e0_00;

/** Finds where a file's chunks end, by its content alone. */
export interface Chunker {
  /** Memory of the chunker into which the caller reads file bytes. */
  readonly window: Uint8Array;
  /**
   * Length of the chunk that begins at `offset`, given bytes up to `end` (both absolute in the window). Where
   * `end - offset` is less than MAX_CHUNK, `end` is the end of the file.
   */
  cut(offset: number, end: number): number;
}

export function createChunker(windowBytes: number): Chunker {
  const window = new Uint8Array(windowBytes);
  return { window, cut: (offset, end) => cutLength(window, offset, end) };
}

/**
 * FastCDC (Xia et al., USENIX ATC 2016): the shortest length of at least MIN_CHUNK whose last 32 bytes have a gear
 * hash with all bits of the mask zero, else MAX_CHUNK or what there is.
 */
function cutLength(bytes: Uint8Array, offset: number, end: number): number {
  const length = Math.min(end - offset, MAX_CHUNK);
  if (length <= MIN_CHUNK) return length;
  const last = offset + length;
  const normal = Math.min(offset + NORMAL_CHUNK, last);
  let position = offset + MIN_CHUNK - HASH_BYTES;
  let hash = 0;
  for (; position < offset + MIN_CHUNK - 1; position++) hash = ((hash << 1) + GEAR[bytes[position]!]!) | 0;
  for (; position < normal; position++) {
    hash = ((hash << 1) + GEAR[bytes[position]!]!) | 0;
    if ((hash & STRICT_MASK) === 0) return position + 1 - offset;
  }
  for (; position < last; position++) {
    hash = ((hash << 1) + GEAR[bytes[position]!]!) | 0;
    if ((hash & LOOSE_MASK) === 0) return position + 1 - offset;
  }
  return length;
}
