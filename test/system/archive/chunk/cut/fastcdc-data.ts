import type { Chunker } from '../../../../../src/archive/chunk/cut/fastcdc.ts';

/**
 * Seeded bytes for the chunker. `test/fixtures/chunker/cuts.json` depends on each of them. The algorithms are simple enough to
 * implement in any language.
 */

/** Marsaglia's xorshift with 13, 17, 5 ("Xorshift RNGs", 2003): each call gives the next unsigned word. Seed not 0. */
function xorshift32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** The concatenated words, little-endian, the last of them truncated. */
export function randomBytes(seed: number, length: number): Uint8Array {
  const next = xorshift32(seed);
  const words = new Uint32Array(Math.ceil(length / 4)).map(next);
  return new Uint8Array(words.buffer, 0, length);
}

/**
 * Lines of lower-case words, about as redundant as prose: 1,024 words of 2 to 9 letters are generated first (a letter is
 * 97 + word % 26), then one is taken at a time, the smaller of two draws modulo 1,024. Every tenth is followed by a line
 * feed, the others by a space.
 */
function textBytes(seed: number, length: number): Uint8Array {
  const next = xorshift32(seed);
  const words = Array.from({ length: 1024 }, () =>
    Uint8Array.from({ length: 2 + (next() % 8) }, () => 97 + (next() % 26)),
  );
  const bytes = new Uint8Array(length);
  for (let position = 0, count = 1; position < length; count++) {
    const word = words[Math.min(next() % words.length, next() % words.length)]!;
    bytes.set(word.subarray(0, length - position), position);
    position += word.length + 1;
    if (position <= length) bytes[position - 1] = count % 10 === 0 ? 10 : 32;
  }
  return bytes;
}

/** Repeats `period` random bytes. */
function periodicBytes(seed: number, period: number, length: number): Uint8Array {
  const once = randomBytes(seed, period);
  const bytes = new Uint8Array(length);
  for (let position = 0; position < length; position += period) {
    bytes.set(once.subarray(0, length - position), position);
  }
  return bytes;
}

const kinds = {
  random: (seed, _, length) => randomBytes(seed, length),
  text: (seed, _, length) => textBytes(seed, length),
  periodic: periodicBytes,
  zeros: (_, __, length) => new Uint8Array(length),
} as const satisfies Record<string, (seed: number, period: number, length: number) => Uint8Array>;

export type DataKind = keyof typeof kinds;

export function bytesOf(kind: DataKind, seed: number, period: number, length: number): Uint8Array {
  return kinds[kind](seed, period, length);
}

/** Returns the lengths of all chunks of a file that fits into the window. */
export function allCuts(chunker: Chunker, bytes: Uint8Array): number[] {
  chunker.window.set(bytes);
  const lengths: number[] = [];
  for (let position = 0; position < bytes.length; position += lengths.at(-1)!) {
    lengths.push(chunker.cut(position, bytes.length));
  }
  return lengths;
}
