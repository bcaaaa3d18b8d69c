import { DamagedFileError } from '../format/repository/damage.ts';
import { KIB } from '../model/units.ts';
import { readStored } from './read-stored.ts';
import type { Storage } from './storage.ts';

/** A part that is given up: disks fail by sectors of at most so many bytes. */
const SMALLEST_READ = 4 * KIB;
/** Reads that may fail, and those at the beginning of a file of which nothing could be read: a disk takes seconds for each. */
const MOST_FAILURES = 256;
const MOST_FIRST_FAILURES = 32;

/**
 * Reads a file around bad sectors, for whoever can compute what is missing.
 *
 * @returns zeros where it cannot be read, fewer bytes if it ends earlier; `undefined` if it does not exist or hardly anything of it can be read
 * @throws what the storage throws
 */
export async function readAround(
  storage: Pick<Storage, 'get'>,
  name: string,
  length: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(length);
  let [end, failures, read] = [0, 0, 0];
  const parts = [{ offset: 0, length }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    try {
      const found = await readStored(storage, name, part, signal);
      if (!found) return undefined;
      bytes.set(found, part.offset);
      read += found.length;
      end = Math.max(end, part.offset + found.length);
      // It ends here.
      if (found.length < part.length) break;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      failures += 1;
      const most = read === 0 ? MOST_FIRST_FAILURES : MOST_FAILURES;
      if (failures > most || error.problem !== 'unreadable') return undefined;
      if (part.length <= SMALLEST_READ) {
        end = Math.max(end, part.offset + part.length);
        continue;
      }
      const half = SMALLEST_READ * Math.ceil(part.length / 2 / SMALLEST_READ);
      parts.push({ offset: part.offset + half, length: part.length - half }, { offset: part.offset, length: half });
    }
  }
  return read === 0 ? undefined : bytes.subarray(0, end);
}
