import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Returns whether a path is an ordinary file that begins with these bytes. A link is not followed, a pipe is not waited for, and what cannot
 * be read begins with nothing.
 */
export function fileBeginsWith(path: string | Buffer, signature: Buffer): boolean {
  try {
    const file = openSync(path, FLAGS);
    try {
      if (!fstatSync(file).isFile()) return false;
      const bytes = Buffer.alloc(signature.length);
      return readSync(file, bytes) === bytes.length && bytes.equals(signature);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}
