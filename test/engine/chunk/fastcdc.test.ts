import * as fc from 'fast-check';
import { createHash, hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { javascriptScan, type GearScan } from '../../../src/engine/chunk/fastcdc-javascript.ts';
import { webAssemblyScan } from '../../../src/engine/chunk/fastcdc-webassembly.ts';
import { createChunker, createJavascriptChunker, MAX_CHUNK, MIN_CHUNK } from '../../../src/engine/chunk/fastcdc.ts';
import { allCuts, bytesOf, randomBytes, type DataKind } from './fastcdc-data.ts';

interface FrozenCuts {
  readonly kind: DataKind;
  readonly seed: number;
  readonly period: number;
  readonly length: number;
  readonly cuts: readonly number[];
}

// Written by make-cuts.py beside it, which shares no code with the sources.
const fixture = new URL('../../fixtures/chunker/cuts.json', import.meta.url);
const frozen = JSON.parse(readFileSync(fixture, 'utf8')) as readonly FrozenCuts[];

const implementations = [
  { name: 'WebAssembly', create: createChunker },
  { name: 'JavaScript', create: createJavascriptChunker },
];

const anyData = fc
  .record({
    kind: fc.constantFrom<DataKind>('random', 'text', 'periodic', 'zeros'),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
    period: fc.integer({ min: 1, max: 100_000 }),
    length: fc.oneof(
      fc.integer({ min: 0, max: 10 * 1024 * 1024 }),
      fc.constantFrom(0, 1, MIN_CHUNK - 1, MIN_CHUNK, MIN_CHUNK + 1, MAX_CHUNK, MAX_CHUNK + 1),
    ),
  })
  .map(({ kind, seed, period, length }) => bytesOf(kind, seed, period, length));
const runs = { numRuns: 20 };

describe.each(implementations)('cuts by $name', ({ create }) => {
  test.each(frozen)('are frozen for $kind, seed $seed, $length bytes', ({ kind, seed, period, length, cuts }) => {
    expect(allCuts(create(length), bytesOf(kind, seed, period, length))).toEqual(cuts);
  });
});

test('WebAssembly is used on this machine', () => {
  expect(webAssemblyScan(1)).toBeDefined();
});

test('chunk sizes stay within bounds and sum to the file size', () => {
  fc.assert(
    fc.property(anyData, (bytes) => {
      const lengths = allCuts(createChunker(bytes.length), bytes);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(bytes.length);
      for (const length of lengths.slice(0, -1)) {
        expect(length).toBeGreaterThanOrEqual(MIN_CHUNK);
        expect(length).toBeLessThanOrEqual(MAX_CHUNK);
      }
      expect(lengths.at(-1) ?? 1).toBeGreaterThan(0);
      expect(lengths.at(-1) ?? 1).toBeLessThanOrEqual(MAX_CHUNK);
      if (bytes.length > 0 && bytes.length <= MIN_CHUNK) expect(lengths).toEqual([bytes.length]);
    }),
    runs,
  );
});

test('WebAssembly and JavaScript find the same cuts', () => {
  fc.assert(
    fc.property(anyData, (bytes) => {
      const expected = allCuts(createJavascriptChunker(bytes.length), bytes);
      expect(allCuts(createChunker(bytes.length), bytes)).toEqual(expected);
    }),
    runs,
  );
});

test('WebAssembly and JavaScript find the same position anywhere in a block', () => {
  const bytes = randomBytes(7, 64 * 1024);
  const native = webAssemblyScan(bytes.length)!;
  native.window.set(bytes);
  const reference = javascriptScan(bytes);
  const position = fc.integer({ min: 31, max: bytes.length });
  fc.assert(
    fc.property(position, position, fc.integer({ min: 8, max: 31 }), (one, other, bits) => {
      const [begin, end, below] = [Math.min(one, other), Math.max(one, other), 2 ** bits];
      expect(native.scan(begin, end, below)).toBe(reference(begin, end, below));
    }),
    { numRuns: 2000 },
  );
});

test('WebAssembly finds a position at every distance, in each lane', () => {
  const bytes = randomBytes(8, 256 * 1024);
  const native = webAssemblyScan(bytes.length)!;
  native.window.set(bytes);
  const below = 2 ** 16;
  const { before, position } = afterGap(javascriptScan(bytes), below, bytes.length, 4 * 3072);
  const wrong: number[] = [];
  for (let begin = before + 1; begin <= position; begin++) {
    if (native.scan(begin, bytes.length, below) !== position) wrong.push(begin);
  }
  expect(wrong).toEqual([]);
});

test('WebAssembly accepts a hash below the limit, but not one equal to it', () => {
  const position = 100;
  const bytes = randomBytes(9, position + 1);
  const native = webAssemblyScan(bytes.length)!;
  native.window.set(bytes);
  const reference = javascriptScan(bytes);
  let [equal, below] = [0, 2 ** 32 - 1];
  while (below - equal > 1) {
    const middle = Math.floor((equal + below) / 2);
    if (reference(position, position + 1, middle) === position) below = middle;
    else equal = middle;
  }
  expect(native.scan(position, position + 1, below)).toBe(position);
  expect(native.scan(position, position + 1, equal)).toBe(position + 1);
});

/** The first position found that has more than `gap` bytes between itself and the one found before it. */
function afterGap(scan: GearScan, below: number, end: number, gap: number): { before: number; position: number } {
  let before = scan(31, end, below);
  for (let position = scan(before + 1, end, below); position < end; position = scan(before + 1, end, below)) {
    if (position - before > gap) return { before, position };
    before = position;
  }
  throw new Error('the data has no such gap');
}

test('cuts do not depend on the position in the window or on how it is filled', () => {
  const slack = 3 * 1024 * 1024;
  fc.assert(
    fc.property(anyData, fc.array(fc.nat({ max: slack }), { minLength: 1 }), (bytes, offsets) => {
      const chunker = createChunker(MAX_CHUNK + slack);
      const lengths: number[] = [];
      for (let position = 0; position < bytes.length; position += lengths.at(-1)!) {
        const offset = offsets[lengths.length % offsets.length]!;
        // Whatever was there before lies around it; bytes of the file beyond the largest chunk too.
        const filled = bytes.subarray(position, position + chunker.window.length - offset);
        chunker.window.set(filled, offset);
        lengths.push(chunker.cut(offset, offset + filled.length));
      }
      expect(lengths).toEqual(allCuts(createChunker(bytes.length), bytes));
    }),
    runs,
  );
});

test('a file can be read into the window, and its chunks hashed in place', () => {
  const chunker = createChunker(MAX_CHUNK);
  const file = openSync(process.execPath, 'r');
  const read = readSync(file, chunker.window, 0, MAX_CHUNK, 0);
  closeSync(file);
  const length = chunker.cut(0, read);
  const expected = createHash('sha256').update(readFileSync(process.execPath).subarray(0, length)).digest('hex');
  expect(hash('sha256', chunker.window.subarray(0, length), 'hex')).toBe(expected);
});

describe('nearly all chunks stay the same after an edit', () => {
  const original = randomBytes(11, 24 * 1024 * 1024);
  const middle = original.length / 2;
  const added = randomBytes(12, 1024);
  const edits: Readonly<Record<string, readonly Uint8Array[]>> = {
    '1 KiB put in front': [added, original],
    '1 KiB put into the middle': [original.subarray(0, middle), added, original.subarray(middle)],
    '1 KiB taken from the front': [original.subarray(1024)],
    '1 KiB taken from the middle': [original.subarray(0, middle), original.subarray(middle + 1024)],
    '1 KiB replaced in the middle': [original.subarray(0, middle), added, original.subarray(middle + 1024)],
  };
  const known = new Set(digests(original));

  test.each(Object.entries(edits))('%s', (_, parts) => {
    const found = digests(Buffer.concat(parts));
    expect(found.length).toBeGreaterThan(12);
    expect(found.filter((digest) => !known.has(digest)).length).toBeLessThanOrEqual(3);
  });

  function digests(bytes: Uint8Array): string[] {
    let position = 0;
    return allCuts(createChunker(bytes.length), bytes).map((length) =>
      hash('sha256', bytes.subarray(position, (position += length)), 'hex'),
    );
  }
});
