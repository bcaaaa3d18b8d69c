import { createCipheriv, createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const PIECE_BYTES = 1024 * 1024;
const ZEROS = Buffer.alloc(PIECE_BYTES);

/** The next bytes of an incompressible stream: AES-128-CTR over zeros, with a key from the seed. */
export function seededBytes(seed: string): (length: number) => Buffer {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(length <= PIECE_BYTES ? ZEROS.subarray(0, length) : Buffer.alloc(length));
}

export function writeSeededFile(path: string, seed: string, length: number): Promise<void> {
  return appendSeeded(path, seed, length, 'w');
}

/** Writes other bytes followed by those of `writeSeededFile`. */
export async function appendSeeded(path: string, seed: string, length: number, flags = 'a'): Promise<void> {
  const next = seededBytes(seed);
  const file = openSync(path, flags);
  for (let left = length; left > 0; left -= PIECE_BYTES) {
    writeSync(file, next(Math.min(left, PIECE_BYTES)));
    await setImmediate();
  }
  closeSync(file);
}
