import { MAX_CHUNK_BYTES } from '../../../format/chunks/chunk-list.ts';
import { javascriptScan } from './fastcdc-javascript.ts';
import type { GearScan } from './fastcdc-javascript.ts';
import { webAssemblyScan } from './fastcdc-webassembly.ts';
import { KIB, MIB } from '../../../model/units.ts';

/** Chunk sizes in bytes. Only a file's last chunk may be shorter than MIN_CHUNK. */
export const MIN_CHUNK = 256 * KIB;
export const NORMAL_CHUNK = MIB;
export const MAX_CHUNK = MAX_CHUNK_BYTES;

/**
 * Normalised chunking, level 2: 20 zero bits would give 1 MiB, so 22 are required up to the normal size and 18 after it.
 * The highest bits are used, since most bytes affect them; so the hash only has to be below a power of two.
 */
const STRICT_BELOW = 2 ** (32 - 22);
const LOOSE_BELOW = 2 ** (32 - 18);

/** Finds the ends of a file's chunks by its content. */
export interface Chunker {
  /** The chunker's memory, which the caller fills with file bytes. It cannot be transferred. */
  readonly window: Uint8Array<ArrayBuffer>;
  /**
   * Returns the length of the chunk that begins at `offset`, given bytes up to `end` (both absolute in the window). If
   * `end - offset` is less than MAX_CHUNK, `end` must be the end of the file.
   */
  cut(offset: number, end: number): number;
}

/** Creates a chunker for one thread. Cuts are the same on every platform. */
export function createChunker(windowBytes: number): Chunker {
  const native = webAssemblyScan(windowBytes);
  return native === undefined ? createJavascriptChunker(windowBytes) : chunkerOf(native.window, native.scan);
}

/** The reference in plain JavaScript, at about a quarter of the speed. */
export function createJavascriptChunker(windowBytes: number): Chunker {
  const window = new Uint8Array(windowBytes);
  return chunkerOf(window, javascriptScan(window));
}

/** Creates a chunker from a scan. @param window the memory that `scan` reads */
export function chunkerOf(window: Uint8Array<ArrayBuffer>, scan: GearScan): Chunker {
  return { window, cut: (offset, end) => cutLength(scan, offset, end) };
}

/**
 * FastCDC (Xia et al., USENIX ATC 2016): the shortest length of at least MIN_CHUNK whose last 32 bytes have a gear hash
 * below the threshold, else MAX_CHUNK or the rest of the file. Unlike in the paper, the hash includes bytes of the skipped
 * minimum, so that a cut depends only on the 32 bytes before it.
 */
function cutLength(scan: GearScan, offset: number, end: number): number {
  const length = Math.min(end - offset, MAX_CHUNK);
  if (length <= MIN_CHUNK) return length;
  const normal = offset + Math.min(length, NORMAL_CHUNK);
  const strict = scan(offset + MIN_CHUNK - 1, normal, STRICT_BELOW);
  if (strict < normal) return strict + 1 - offset;
  return Math.min(scan(normal, offset + length, LOOSE_BELOW) + 1 - offset, length);
}
