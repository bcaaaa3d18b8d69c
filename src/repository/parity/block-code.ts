import { inverse, invert } from './galois-field.ts';
import { FIRST_ADDRESS, newMultiplyMemory, TABLE_BYTES, writeTables, type MultiplyMemory } from './galois-multiply.ts';

/** The most data and parity blocks that belong together: the points of GF(2^8). */
export const MOST_BLOCKS = 256;

/** How many blocks belong together. */
export interface CodeSize {
  readonly data: number;
  readonly parity: number;
  /** A multiple of 16. */
  readonly blockBytes: number;
}

/**
 * A systematic Reed-Solomon code: any blocks that are missing are computed from as many parity blocks. Its matrix is a Cauchy matrix,
 * of which every square part has an inverse (Blömer, Kalfane, Karp, Karpinski, Luby, Zuckerman: An XOR-Based Erasure-Resilient Coding
 * Scheme, ICSI TR-95-048, 1995). The factor of data block `c` in parity block `r` is the inverse of `(255 - r) ^ c` in GF(2^8).
 *
 * It has memory for one set of blocks, which is used again and again.
 */
export class BlockCode {
  readonly #size: CodeSize;
  readonly #memory: MultiplyMemory;
  readonly #matrix: Uint8Array;
  readonly #tables = FIRST_ADDRESS;
  readonly #solvingTables: number;
  readonly #data: number;
  readonly #parity: number;
  readonly #syndromes: number;
  readonly #solved: number;

  /** @throws RangeError if there are more blocks than `MOST_BLOCKS` */
  constructor(size: CodeSize, newMemory: (bytes: number) => MultiplyMemory = newMultiplyMemory) {
    const { data, parity, blockBytes } = size;
    if (data + parity > MOST_BLOCKS) throw new RangeError(`at most ${MOST_BLOCKS} blocks belong together`);
    this.#size = size;
    this.#solvingTables = this.#tables + data * parity * TABLE_BYTES;
    // As many blocks as there are parity blocks can be missing.
    this.#data = this.#solvingTables + parity * parity * TABLE_BYTES;
    this.#parity = this.#data + data * blockBytes;
    this.#syndromes = this.#parity + parity * blockBytes;
    this.#solved = this.#syndromes + parity * blockBytes;
    this.#memory = newMemory(this.#solved + parity * blockBytes - FIRST_ADDRESS);
    this.#matrix = new Uint8Array(data * parity);
    for (let row = 0; row < parity; row += 1) {
      for (let column = 0; column < data; column += 1) {
        this.#matrix[row * data + column] = inverse((MOST_BLOCKS - 1 - row) ^ column);
      }
    }
    writeTables(this.#memory.bytes.subarray(this.#tables, this.#solvingTables), this.#matrix);
  }

  /** A data block, to be written or read. */
  data(column: number): Uint8Array {
    return this.#block(this.#data, column);
  }

  /** A parity block, to be written or read. */
  parity(row: number): Uint8Array {
    return this.#block(this.#parity, row);
  }

  /** Computes the parity blocks of the data blocks. */
  encode(): void {
    const { data, parity, blockBytes } = this.#size;
    const { bytes, multiply } = this.#memory;
    bytes.fill(0, this.#parity, this.#parity + parity * blockBytes);
    multiply(this.#parity, parity, this.#data, data, this.#tables, blockBytes);
  }

  /**
   * Computes data blocks from the others.
   *
   * @param missing columns of the data blocks
   * @param rows of parity blocks, as many
   */
  rebuild(missing: readonly number[], rows: readonly number[]): void {
    const { data, blockBytes } = this.#size;
    const { bytes, multiply } = this.#memory;
    const count = missing.length;
    for (const column of missing) this.data(column).fill(0);
    for (const [index, row] of rows.entries()) {
      const syndrome = this.#syndromes + index * blockBytes;
      bytes.set(this.parity(row), syndrome);
      multiply(syndrome, 1, this.#data, data, this.#tables + row * data * TABLE_BYTES, blockBytes);
    }
    const part = Uint8Array.from(rows.flatMap((row) => missing.map((column) => this.#matrix[row * data + column]!)));
    writeTables(bytes.subarray(this.#solvingTables, this.#data), invert(part, count));
    bytes.fill(0, this.#solved, this.#solved + count * blockBytes);
    multiply(this.#solved, count, this.#syndromes, count, this.#solvingTables, blockBytes);
    for (const [index, column] of missing.entries()) this.data(column).set(this.#block(this.#solved, index));
  }

  #block(first: number, index: number): Uint8Array {
    const { blockBytes } = this.#size;
    return this.#memory.bytes.subarray(first + index * blockBytes, first + (index + 1) * blockBytes);
  }
}
