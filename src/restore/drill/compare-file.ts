import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { systemCodeOf } from '../../base/errors/errors.ts';

/** Chunks of a file, as the tree proves them. */
export interface ProvenContent {
  readonly size: number;
  /** SHA-256 of each chunk, in hex, with its length. */
  readonly chunks: readonly { readonly digest: string; readonly length: number }[];
}

export type FileComparison =
  | { readonly kind: 'same'; readonly sha256: string }
  | { readonly kind: 'different'; readonly what: 'size' | 'content' }
  | { readonly kind: 'unreadable'; readonly code: string };

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
const BUFFER_BYTES = 2 ** 20;
const buffer = Buffer.alloc(BUFFER_BYTES);

/** Reads a file from the disk, byte by byte, and compares it with what the tree proves. @returns its own SHA-256 if it is that */
export function compareFile(path: string | Buffer, { size, chunks }: ProvenContent): FileComparison {
  try {
    const file = openSync(path, READ);
    try {
      if (fstatSync(file).size !== size) return { kind: 'different', what: 'size' };
      const whole = createHash('sha256');
      for (const { digest, length } of chunks) {
        const part = createHash('sha256');
        for (let left = length; left > 0;) {
          const read = readSync(file, buffer, 0, Math.min(left, BUFFER_BYTES), null);
          if (read === 0) return { kind: 'different', what: 'size' };
          part.update(buffer.subarray(0, read));
          whole.update(buffer.subarray(0, read));
          left -= read;
        }
        if (part.digest('hex') !== digest) return { kind: 'different', what: 'content' };
      }
      if (readSync(file, buffer, 0, 1, null) !== 0) return { kind: 'different', what: 'size' };
      return { kind: 'same', sha256: whole.digest('hex') };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return { kind: 'unreadable', code };
  }
}
