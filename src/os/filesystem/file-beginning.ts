import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { READ_FLAGS } from './read-flags.ts';

/** Returns whether a path is an ordinary file that begins with these bytes. */
export function fileBeginsWith(path: string | Buffer, signature: Buffer): boolean {
  return fileBeginning(path, signature.length).equals(signature);
}

/**
 * Returns the first bytes of an ordinary file. A link is not followed, a pipe is not waited for, and what cannot be read has none.
 *
 * @param length the most that is returned
 */
export function fileBeginning(path: string | Buffer, length: number): Buffer {
  try {
    const file = openSync(path, READ_FLAGS);
    try {
      if (!fstatSync(file).isFile()) return Buffer.alloc(0);
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return Buffer.alloc(0);
  }
}
