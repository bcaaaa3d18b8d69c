import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BlockCode } from '../../../../src/repository/parity/block-code.ts';
import { invert, multiply } from '../../../../src/repository/parity/galois-field.ts';
import { inJavaScript, newMultiplyMemory } from '../../../../src/repository/parity/galois-multiply.ts';

/** Multiplies as at school, bit by bit, modulo x^8 + x^4 + x^3 + x^2 + 1. */
function slowProduct(a: number, b: number): number {
  let product = 0;
  for (let bit = 0; bit < 8; bit += 1) if ((b >> bit) & 1) product ^= a << bit;
  for (let bit = 15; bit >= 8; bit -= 1) if ((product >> bit) & 1) product ^= 0x11d << (bit - 8);
  return product;
}

function slowInverse(a: number): number {
  return Array.from({ length: 256 }, (_, b) => b).find((b) => slowProduct(a, b) === 1)!;
}

/** Every way of taking `count` of `total`. */
function* choices(total: number, count: number, from = 0): Generator<number[]> {
  if (count === 0) yield [];
  else
    for (let at = from; at < total; at += 1) for (const rest of choices(total, count - 1, at + 1)) yield [at, ...rest];
}

function blocksOf(count: number, blockBytes: number): Buffer[] {
  return Array.from({ length: count }, () => randomBytes(blockBytes));
}

describe('GF(2^8)', () => {
  test('has the products of polynomials', () => {
    for (let a = 0; a < 256; a += 1) for (let b = 0; b < 256; b += 1) expect(multiply(a, b)).toBe(slowProduct(a, b));
  });

  test('inverts a matrix whose first number is 0', () => {
    expect([...invert(Uint8Array.of(0, 1, 1, 0), 2)]).toEqual([0, 1, 1, 0]);
  });

  test('refuses a matrix without an inverse', () => {
    expect(() => invert(Uint8Array.of(1, 2, 2, 4), 2)).toThrow('without an inverse');
  });
});

describe.each([
  ['WebAssembly', newMultiplyMemory],
  ['JavaScript', inJavaScript],
] as const)('the code in %s', (_name, newMemory) => {
  test('has the parity that the matrix of the documentation says', () => {
    const [data, parity, blockBytes] = [5, 3, 32];
    const code = new BlockCode({ data, parity, blockBytes }, newMemory);
    const blocks = blocksOf(data, blockBytes);
    blocks.forEach((block, column) => code.data(column).set(block));
    code.encode();
    for (let row = 0; row < parity; row += 1) {
      const expected = Buffer.alloc(blockBytes);
      for (let at = 0; at < blockBytes; at += 1) {
        for (let column = 0; column < data; column += 1) {
          expected[at]! ^= slowProduct(slowInverse((255 - row) ^ column), blocks[column]![at]!);
        }
      }
      expect(Buffer.from(code.parity(row))).toEqual(expected);
    }
  });

  test.each([
    [1, 2],
    [4, 3],
    [6, 4],
    [3, 5],
  ])('rebuilds %i blocks of every loss that its %i parity blocks can make good', (data, parity) => {
    const code = new BlockCode({ data, parity, blockBytes: 16 }, newMemory);
    const blocks = blocksOf(data, 16);
    blocks.forEach((block, column) => code.data(column).set(block));
    code.encode();
    const parities = Array.from({ length: parity }, (_, row) => Buffer.from(code.parity(row)));
    for (let lost = 1; lost <= Math.min(data, parity); lost += 1) {
      for (const missing of choices(data, lost)) {
        for (const rows of choices(parity, lost)) {
          blocks.forEach((block, column) => code.data(column).set(missing.includes(column) ? randomBytes(16) : block));
          parities.forEach((block, row) => code.parity(row).set(rows.includes(row) ? block : randomBytes(16)));
          code.rebuild(missing, rows);
          blocks.forEach((block, column) => expect(Buffer.from(code.data(column)).equals(block)).toBe(true));
        }
      }
    }
  });

  test('rebuilds half of the most blocks that belong together', () => {
    const code = new BlockCode({ data: 128, parity: 128, blockBytes: 16 }, newMemory);
    const blocks = blocksOf(128, 16);
    blocks.forEach((block, column) => code.data(column).set(block));
    code.encode();
    const all = blocks.map((_, index) => index);
    code.rebuild(all, all);
    expect(Buffer.concat(all.map((column) => code.data(column)))).toEqual(Buffer.concat(blocks));
  });
});

test('more blocks than the field has points are refused', () => {
  expect(() => new BlockCode({ data: 200, parity: 57, blockBytes: 16 })).toThrow(RangeError);
});
