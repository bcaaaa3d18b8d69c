import { writeSync } from 'node:fs';

/** Holes are made of whole blocks of this size. */
const BLOCK_BYTES = 4096;
const ZEROES = Buffer.alloc(BLOCK_BYTES);

/**
 * Writes data at an offset of a file.
 *
 * @param sparse leaves blocks of zeroes out; the file then has to be given its size in the end
 */
export function writeData(file: number, data: Buffer, offset: number, sparse: boolean): void {
  if (!sparse) {
    writeAll(file, data, offset);
    return;
  }
  let from = 0;
  while (from < data.length) {
    const filled = nextBlock(data, from, offset, false);
    const hole = nextBlock(data, filled, offset, true);
    if (hole > filled) writeAll(file, data.subarray(filled, hole), offset + filled);
    from = hole;
  }
}

/** Where the first block at or behind `from` begins that is all zeroes, or is not. */
function nextBlock(data: Buffer, from: number, offset: number, zero: boolean): number {
  let start = from;
  while (start < data.length) {
    const end = Math.min(data.length, start + BLOCK_BYTES - ((offset + start) % BLOCK_BYTES));
    if (data.subarray(start, end).equals(ZEROES.subarray(0, end - start)) === zero) return start;
    start = end;
  }
  return data.length;
}

function writeAll(file: number, data: Buffer, offset: number): void {
  for (let done = 0; done < data.length;) {
    done += writeSync(file, data, done, data.length - done, offset + done);
  }
}
