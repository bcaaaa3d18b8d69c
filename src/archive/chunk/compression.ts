import type { Compression } from '../../model/compression.ts';
import type { FileKind } from './file-kind.ts';
import { FrameCompressor } from './frame-compressor.ts';
import { KIB } from '../../model/units.ts';

/** Levels of zstd, measured in docs/reports/performance.md. */
const LEVELS: Readonly<Record<Exclude<Compression, 'off'>, number>> = { fast: 1, default: 3, max: 12 };

/** Smaller chunks save less than a call costs. */
const LEAST_BYTES = 256;
/** A frame is kept if it is at most this share of the plaintext. */
const WORTHWHILE = 0.95;

/** Bytes that are examined, in pieces spread over the chunk. */
const SAMPLE_PIECE = 1_024;
const SAMPLE_PIECES = 4;
/** Bits per byte; a code for each byte alone saves 5 % at 7.6. */
const DENSE_BITS = 7.6;

/** Chunks up to this size are compressed rather than examined, unless their file is compressed already: it costs the same. */
const TRIED_BYTES = 64 * KIB;
const PROBE_BYTES = 16 * KIB;

/** Compresses chunks for sealing, as far as it is worth it. */
export class Compressor {
  readonly #isAlwaysTried: boolean;
  readonly #level: number;

  private constructor(compression: Exclude<Compression, 'off'>) {
    this.#isAlwaysTried = compression === 'max';
    this.#level = LEVELS[compression];
  }

  /** Returns `undefined` if nothing is to be compressed. */
  static of(compression: Compression): Compressor | undefined {
    return compression === 'off' ? undefined : new Compressor(compression);
  }

  /** Returns a chunk as one zstd frame; `undefined` if that saves less than 5 %. */
  compress(chunk: Uint8Array, kind: FileKind): Buffer | undefined {
    if (chunk.length < LEAST_BYTES) return undefined;
    return this.#isAlwaysTried || isWorthTrying(chunk, kind) ? compressed(chunk, this.#level) : undefined;
  }
}

/**
 * Byte frequencies decide for nearly all large chunks. Only where they are even may repetition still save something, and only
 * in files that are not compressed already.
 */
function isWorthTrying(chunk: Uint8Array, kind: FileKind): boolean {
  if (chunk.length <= TRIED_BYTES && !kind.isCompressed) return true;
  if (entropyOf(chunk) <= DENSE_BITS) return true;
  if (kind.isCompressed) return false;
  const middle = (chunk.length - PROBE_BYTES) >> 1;
  return compressed(chunk.subarray(middle, middle + PROBE_BYTES), LEVELS.fast) !== undefined;
}

function compressed(bytes: Uint8Array, level: number): Buffer | undefined {
  const frame = FrameCompressor.of(level).compress(bytes);
  return frame.length <= bytes.length * WORTHWHILE ? frame : undefined;
}

const counts = new Uint32Array(256);

/** Entropy of single bytes in a sample, in bits per byte. */
function entropyOf(chunk: Uint8Array): number {
  counts.fill(0);
  const length = count(chunk);
  let sum = 0;
  for (const times of counts) if (times > 0) sum += times * Math.log2(times);
  return Math.log2(length) - sum / length;
}

/** Counts the bytes of the sample; returns its length. */
function count(chunk: Uint8Array): number {
  if (chunk.length <= SAMPLE_PIECE * SAMPLE_PIECES) {
    for (const byte of chunk) counts[byte]! += 1;
    return chunk.length;
  }
  const step = (chunk.length - SAMPLE_PIECE) / (SAMPLE_PIECES - 1);
  for (let piece = 0; piece < SAMPLE_PIECES; piece += 1) {
    const start = Math.floor(piece * step);
    for (let index = start; index < start + SAMPLE_PIECE; index += 1) counts[chunk[index]!]! += 1;
  }
  return SAMPLE_PIECE * SAMPLE_PIECES;
}
