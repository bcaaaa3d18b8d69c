import { ChunkKeys } from '../../crypto/chunk-keys.ts';
import { openBlob } from '../../crypto/blob.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { hexDigestOf } from '../../../protocol/chunk.ts';
import type { RestoreDependencies } from '../types.ts';

export type ChunkDependencies = Pick<RestoreDependencies, 'downloader' | 'keys' | 'clock'>;

/** How often a chunk is asked for before it is given up: the first time and two more. */
export const CHUNK_TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** The pause before the next try, after `tries` of them. */
export function pauseBeforeRetry(tries: number): number {
  return FIRST_PAUSE_MS * 4 ** (tries - 1);
}

/**
 * A few chunks in the order asked for, opened and checked; each is asked for again when it is missing or damaged.
 *
 * @param keyOf the key of a chunk, where it is not the account's own
 * @throws HoldfastError `chunk_missing`, `chunk_tampered` or `chunk_corrupt`, details `{chunk}`, where that persists
 */
export async function openChunks(
  restoreSessionId: string,
  hashes: readonly string[],
  deps: ChunkDependencies,
  signal?: AbortSignal,
  keyOf: KeyOf = keysOf(deps.keys.chunk),
): Promise<readonly Buffer[]> {
  const opened = new Map<string, Buffer>();
  let wanted: readonly string[] = [...new Set(hashes)];
  for (let tries = 1; ; tries += 1) {
    const problems = new Map<string, HoldfastError>();
    await deps.downloader.download(
      restoreSessionId,
      wanted,
      (hash, bytes) => {
        const outcome = tryOpen(keyOf, hash, bytes);
        if (Buffer.isBuffer(outcome)) opened.set(hash, outcome);
        else problems.set(hash, outcome);
      },
      signal,
    );
    wanted = wanted.filter((hash) => !opened.has(hash));
    const [first] = wanted;
    if (first === undefined) return hashes.map((hash) => opened.get(hash)!);
    if (tries === CHUNK_TRIES) throw problems.get(first) ?? new HoldfastError('chunk_missing', { chunk: first });
    await deps.clock.sleep(pauseBeforeRetry(tries), signal);
  }
}

type KeyOf = (digest: Uint8Array) => Uint8Array;

function keysOf(chunkSubKey: Uint8Array): KeyOf {
  const keys = new ChunkKeys(chunkSubKey);
  return (digest) => keys.keyOf(digest);
}

function tryOpen(keyOf: KeyOf, hash: string, bytes: Uint8Array | undefined): Buffer | HoldfastError {
  if (!bytes) return new HoldfastError('chunk_missing', { chunk: hash });
  const digest = Buffer.from(hexDigestOf(hash), 'hex');
  try {
    return openBlob(keyOf(digest), bytes, digest);
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
}
