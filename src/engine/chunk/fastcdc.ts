import { javascriptScan } from './fastcdc-javascript.ts';
import type { GearScan } from './fastcdc-javascript.ts';
import { webAssemblyScan } from './fastcdc-webassembly.ts';

/** Bytes. Nothing but a file's last chunk is shorter than MIN_CHUNK, and none is longer than MAX_CHUNK. */
export const MIN_CHUNK = 256 * 1024;
export const NORMAL_CHUNK = 1024 * 1024;
export const MAX_CHUNK = 4 * 1024 * 1024;

/**
 * Normalised chunking, level 2: 20 bits would give 1 MiB, so 22 have to be zero up to the normal size and 18 after it.
 * They are the highest bits, which have seen the most bytes, so that the hash only has to be below a power of two.
 */
const STRICT_BELOW = 2 ** (32 - 22);
const LOOSE_BELOW = 2 ** (32 - 18);

/** Finds where a file's chunks end, by its content alone. */
export interface Chunker {
  /** Memory of the chunker into which the caller reads file bytes. It cannot be transferred. */
  readonly window: Uint8Array<ArrayBuffer>;
  /**
   * Length of the chunk that begins at `offset`, given bytes up to `end` (both absolute in the window). Where
   * `end - offset` is less than MAX_CHUNK, `end` is the end of the file.
   */
  cut(offset: number, end: number): number;
}

/** A chunker for one thread. Every kind of machine finds the same cuts. */
export function createChunker(windowBytes: number): Chunker {
  const native = webAssemblyScan(windowBytes);
  return native === undefined ? createJavascriptChunker(windowBytes) : chunkerOf(native.window, native.scan);
}

/** The same in plain JavaScript: the reference, at about a quarter of the speed. */
export function createJavascriptChunker(windowBytes: number): Chunker {
  const window = new Uint8Array(windowBytes);
  return chunkerOf(window, javascriptScan(window));
}

/** FastCDC over any way to find a position; `window` is what `scan` reads. */
export function chunkerOf(window: Uint8Array<ArrayBuffer>, scan: GearScan): Chunker {
  return { window, cut: (offset, end) => cutLength(scan, offset, end) };
}

/**
 * FastCDC (Xia et al., USENIX ATC 2016): the shortest length of at least MIN_CHUNK whose last 32 bytes have a gear hash
 * that is low enough, else MAX_CHUNK or what there is. Unlike there, the hash has seen all of its bytes from the first
 * position on, though they lie in the minimum that is skipped: a cut depends on nothing but the 32 bytes before it.
 */
function cutLength(scan: GearScan, offset: number, end: number): number {
  const length = Math.min(end - offset, MAX_CHUNK);
  if (length <= MIN_CHUNK) return length;
  const normal = offset + Math.min(length, NORMAL_CHUNK);
  const strict = scan(offset + MIN_CHUNK - 1, normal, STRICT_BELOW);
  if (strict < normal) return strict + 1 - offset;
  return Math.min(scan(normal, offset + length, LOOSE_BELOW) + 1 - offset, length);
}
