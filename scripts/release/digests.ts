import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** Returns the digest of a file in hexadecimal digits. Files of packages are too large to be read at once. */
export function fileDigest(file: string, algorithm: 'sha256' | 'sha512' = 'sha256'): string {
  const hash: Hash = createHash(algorithm);
  const descriptor = openSync(file, 'r');
  try {
    const part = Buffer.alloc(1 << 20);
    for (let bytes = readSync(descriptor, part); bytes > 0; bytes = readSync(descriptor, part))
      hash.update(part.subarray(0, bytes));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}
