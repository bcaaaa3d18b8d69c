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

/** The part of WebAssembly that is used here. Neither ECMAScript's types nor Node's declare it. */
interface Memory {
  readonly buffer: ArrayBuffer;
}
declare const WebAssembly:
  | undefined
  | {
      readonly validate: (bytes: Uint8Array) => boolean;
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => Memory;
      readonly Instance: new (
        module: object,
        imports: { readonly env: { readonly memory: Memory } },
      ) => { readonly exports: { readonly multiply: Multiply } };
    };

const PAGE_BYTES = 64 * 1024;
/** The compiled code asks for two pages, and keeps its stack in the first one. */
export const FIRST_ADDRESS = PAGE_BYTES;
/** Products with the 16 low halves of a byte, and with the 16 high ones. */
export const TABLE_BYTES = 32;

/** `undefined` without WebAssembly (`node --jitless`) or without its vectors (processors without SSE4.1). */
const compiled = compile();

function compile() {
  if (typeof WebAssembly === 'undefined') return undefined;
  const bytes = Buffer.from(GALOIS_MULTIPLY_WEBASSEMBLY, 'base64');
  return WebAssembly.validate(bytes) ? { platform: WebAssembly, module: new WebAssembly.Module(bytes) } : undefined;
}

/** @param bytes that are used after `FIRST_ADDRESS` */
export function newMultiplyMemory(bytes: number): MultiplyMemory {
  if (compiled === undefined) return inJavaScript(bytes);
  const { platform, module } = compiled;
  const pages = Math.max(2, Math.ceil((FIRST_ADDRESS + bytes) / PAGE_BYTES));
  const memory = new platform.Memory({ initial: pages, maximum: pages });
  const { exports } = new platform.Instance(module, { env: { memory } });
  return { bytes: new Uint8Array(memory.buffer), multiply: exports.multiply };
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
