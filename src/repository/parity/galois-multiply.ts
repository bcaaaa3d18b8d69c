import { compileWebAssembly, PAGE_BYTES } from '../../base/web-assembly.ts';
import { multiply } from './galois-field.ts';
import { GALOIS_MULTIPLY_WEBASSEMBLY } from './galois-multiply-bytes.ts';

/** Adds the product of a matrix with blocks to blocks. Addresses are those of `MultiplyMemory.bytes`. */
export type Multiply = (
  out: number,
  rows: number,
  input: number,
  columns: number,
  tables: number,
  blockBytes: number,
) => void;

/** Memory for blocks and tables. */
export interface MultiplyMemory {
  readonly bytes: Uint8Array;
  readonly multiply: Multiply;
}

/** The compiled code asks for two pages, and keeps its stack in the first one. */
export const FIRST_ADDRESS = PAGE_BYTES;
/** Products with the 16 low halves of a byte, and with the 16 high ones. */
export const TABLE_BYTES = 32;

const compiled = compileWebAssembly<{ readonly multiply: Multiply }>(GALOIS_MULTIPLY_WEBASSEMBLY);

/** @param bytes that are used after `FIRST_ADDRESS` */
export function newMultiplyMemory(bytes: number): MultiplyMemory {
  if (compiled === undefined) return inJavaScript(bytes);
  const { buffer, exports } = compiled.newInstance(Math.max(2, Math.ceil((FIRST_ADDRESS + bytes) / PAGE_BYTES)));
  return { bytes: new Uint8Array(buffer), multiply: exports.multiply };
}

/** The same in JavaScript, ten times slower. */
export function inJavaScript(size: number): MultiplyMemory {
  const bytes = new Uint8Array(FIRST_ADDRESS + size);
  return {
    bytes,
    multiply: (out, rows, input, columns, tables, blockBytes) => {
      for (let column = 0; column < columns; column += 1) {
        for (let row = 0; row < rows; row += 1) {
          const table = tables + (row * columns + column) * TABLE_BYTES;
          const from = input + column * blockBytes;
          const to = out + row * blockBytes;
          for (let at = 0; at < blockBytes; at += 1) {
            const byte = bytes[from + at]!;
            bytes[to + at]! ^= bytes[table + (byte & 15)]! ^ bytes[table + 16 + (byte >> 4)]!;
          }
        }
      }
    },
  };
}

/** Writes the tables for a matrix, whose rows follow each other. */
export function writeTables(tables: Uint8Array, matrix: Uint8Array): void {
  for (const [index, factor] of matrix.entries()) {
    for (let half = 0; half < 16; half += 1) {
      tables[index * TABLE_BYTES + half] = multiply(factor, half);
      tables[index * TABLE_BYTES + 16 + half] = multiply(factor, half << 4);
    }
  }
}
