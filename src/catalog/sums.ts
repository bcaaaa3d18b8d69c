import { crc32 } from 'node:zlib';

/** Returns the sum of a directory's position. */
export function sumOfPlace(directory: number, setId: number, parent: number | null, name: string | null): number {
  return crc32(`${directory} ${setId} ${parent} ${name}`);
}

/** Returns the sum of a stored block, which includes where it is stored. */
export function sumOfBlock(directory: number, first: string, split: number, entries: Buffer): number {
  return crc32(entries, crc32(`${directory} ${split} ${first}`));
}

/** Returns the sum of a row's values. */
export function sumOfRow(values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values) {
    sum = Buffer.isBuffer(value)
      ? crc32(value, crc32(`b${value.length}:`, sum))
      : crc32(`${typeof value} ${String(value)}\n`, sum);
  }
  return sum;
}
