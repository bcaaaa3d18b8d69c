import { hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { DIGEST_BYTES, MAX_CHUNK_BYTES } from '../../format/chunks/chunk-list.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { READ_FLAGS } from '../../os/filesystem/read-flags.ts';

export interface MatchChunksInput {
  /** As `chunkFiles` takes it. */
  readonly path: string;
  /** Offset in the file and length of each place, in turn; no length exceeds that of a chunk. */
  readonly places: Float64Array;
  /** The digest that each place should have, 32 bytes each. */
  readonly digests: Uint8Array;
}

let buffer: Buffer | undefined;

/**
 * Returns a byte for each place: 1 if the file has the bytes of that digest there. A place that cannot be read has not. Runs in
 * a worker thread.
 */
export function matchChunks({ path, places, digests }: MatchChunksInput): TaskAnswer<Uint8Array> {
  const matches = new Uint8Array(places.length / 2);
  const answer = { value: matches, transfer: [matches.buffer] };
  try {
    const file = openSync(fileSystemPath(path), READ_FLAGS);
    try {
      for (let index = 0; index < matches.length; index += 1) {
        const bytes = readAt(file, places[index * 2]!, places[index * 2 + 1]!);
        const wanted = digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
        if (bytes && hash('sha256', bytes, 'buffer').equals(wanted)) matches[index] = 1;
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
  return answer;
}

function readAt(file: number, offset: number, length: number): Buffer | undefined {
  buffer ??= Buffer.allocUnsafeSlow(MAX_CHUNK_BYTES);
  let read = 0;
  while (read < length) {
    const more = readSync(file, buffer, read, length - read, offset + read);
    if (more === 0) return undefined;
    read += more;
  }
  return buffer.subarray(0, length);
}
