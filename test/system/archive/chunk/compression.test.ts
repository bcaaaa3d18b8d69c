import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { COMPRESSIONS } from '../../../../src/model/compression.ts';
import { Compressor } from '../../../../src/archive/chunk/compression.ts';
import { FileKind } from '../../../../src/archive/chunk/file-kind.ts';
import { unpackFrame } from '../../../../src/format/crypto/packing.ts';

const TEXT = Buffer.from(Array.from({ length: 40_000 }, (_, line) => `line ${line * 7919} of a text\n`).join(''));

/** A file whose beginning is `beginning`. */
function kindOf(name: string, beginning: Uint8Array = Buffer.alloc(0)): FileKind {
  return new FileKind(name, (bytes) => beginning.subarray(0, bytes));
}

const PLAIN = kindOf('/home/anna/data');
const compressor = Compressor.of('default')!;

function compressedBytes(bytes: Uint8Array, kind = PLAIN): number | undefined {
  return compressor.compress(bytes, kind)?.length;
}

describe('a chunk', () => {
  test.each(COMPRESSIONS.filter((compression) => compression !== 'off'))(
    'is the content of its frame, which another program opens (%s)',
    (compression) => {
      for (const size of [256, 4_096, 65_536, 65_537, 1_000_000]) {
        const chunk = TEXT.subarray(0, size);
        const frame = Compressor.of(compression)!.compress(chunk, PLAIN)!;
        expect(frame.length).toBeLessThan(size * 0.95);
        expect(execFileSync('zstd', ['-dc'], { input: frame }).equals(chunk)).toBe(true);
        expect(unpackFrame(frame, size)?.equals(chunk)).toBe(true);
      }
    },
  );

  test('is smaller at each higher setting', () => {
    const chunk = readFileSync(path.join(import.meta.dirname, '../../../../package-lock.json'));
    const [fast, normal, max] = (['fast', 'default', 'max'] as const).map(
      (compression) => Compressor.of(compression)!.compress(chunk, PLAIN)!.length,
    );
    expect(normal).toBeLessThan(fast!);
    expect(max).toBeLessThan(normal!);
  });

  test('is left as it is when compression is off', () => {
    expect(Compressor.of('off')).toBe(undefined);
  });

  test('is left as it is below 256 bytes', () => {
    expect(compressedBytes(Buffer.alloc(255))).toBe(undefined);
    expect(compressedBytes(Buffer.alloc(256))).toBeGreaterThan(0);
  });

  test('is compressed if that saves 5 %, and else left as it is', () => {
    // A run of one byte in random ones, so that the frame is smaller by about the run.
    const withRun = (share: number): Buffer => {
      const bytes = randomBytes(60_000);
      bytes.fill(7, 0, bytes.length * share);
      return bytes;
    };
    expect(compressedBytes(withRun(0.06))).toBeLessThanOrEqual(57_000);
    expect(compressedBytes(withRun(0.04))).toBe(undefined);
    expect(compressedBytes(randomBytes(60_000))).toBe(undefined);
  });
});

describe('a dense chunk', () => {
  const block = randomBytes(5_000);
  const repeated = Buffer.concat(Array.from({ length: 100 }, () => block));

  test('is compressed if it repeats itself', () => {
    expect(compressedBytes(repeated)).toBeLessThan(10_000);
    expect(compressedBytes(repeated.subarray(0, 20_000))).toBeLessThan(10_000);
  });

  test.each([
    ['/home/anna/photo.JPG', Buffer.alloc(0)],
    ['/home/anna/archive', gzipSync('content')],
    ['/home/anna/film', Buffer.from('\0\0\0\x20ftypisom0000', 'latin1')],
  ])('is not tried if its file is compressed already (%s)', (name, beginning) => {
    expect(compressedBytes(repeated, kindOf(name, beginning))).toBe(undefined);
  });

  test('is tried all the same at the highest setting', () => {
    expect(Compressor.of('max')!.compress(repeated, kindOf('/home/anna/photo.jpg'))!.length).toBeLessThan(10_000);
  });
});

test('a chunk of text in a compressed file is compressed', () => {
  expect(compressedBytes(TEXT.subarray(0, 100_000), kindOf('/home/anna/book.zip'))).toBeLessThan(50_000);
});

test('the beginning of a file is read only if it matters, once', () => {
  let reads = 0;
  const kind = new FileKind('/home/anna/data', (bytes) => {
    reads += 1;
    return gzipSync('content').subarray(0, bytes);
  });
  compressor.compress(TEXT.subarray(0, 100_000), kind);
  expect(reads).toBe(0);
  compressor.compress(randomBytes(100_000), kind);
  compressor.compress(randomBytes(10_000), kind);
  expect(reads).toBe(1);
});

describe('a small chunk', () => {
  const block = randomBytes(5_000);
  const repeated = Buffer.concat([block, block, block]);

  test('of text is compressed, in a compressed file too', () => {
    expect(compressedBytes(TEXT.subarray(0, 10_000))).toBeLessThan(5_000);
    expect(compressedBytes(TEXT.subarray(0, 10_000), kindOf('/home/anna/book.zip'))).toBeLessThan(5_000);
  });

  test('of even bytes is tried, except in a compressed file', () => {
    expect(compressedBytes(repeated)).toBeLessThan(10_000);
    expect(compressedBytes(repeated, kindOf('/home/anna/book.zip'))).toBe(undefined);
  });
});
