import { createHash } from 'node:crypto';
import type { Storage } from './storage.ts';
import { readable, readStored } from './read-stored.ts';
import { MIB } from '../model/units.ts';

const PART_BYTES = 8 * MIB;

/**
 * Hashes a file without holding it. Returns the hex SHA-256; `undefined` if it does not exist, cannot be read or has more bytes than
 * `largest`, of which no more are read.
 *
 * @throws what the storage throws
 */
export async function hashStored(
  storage: Storage,
  name: string,
  largest: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  for (let offset = 0; offset <= largest; offset += PART_BYTES) {
    const length = Math.min(PART_BYTES, largest + 1 - offset);
    const part = await readable(readStored(storage, name, { offset, length }, signal));
    if (!part || offset + part.length > largest) return undefined;
    digest.update(part);
    if (part.length < length) break;
  }
  return digest.digest('hex');
}
