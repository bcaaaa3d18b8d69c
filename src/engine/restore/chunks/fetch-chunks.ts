import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { hexDigestOf } from '../../../protocol/chunk.ts';
import { openBlob } from '../../crypto/blob.ts';
import { chunkKeysOf } from '../../crypto/chunk-keys.ts';
import type { RestoreDependencies } from '../types.ts';

export type ChunkDependencies = Pick<RestoreDependencies, 'downloader' | 'keys' | 'clock'>;

/** The number of requests for a missing or damaged chunk before it counts as lost. */
export const CHUNK_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

/** Milliseconds before the next attempt, after `attempts` of them. */
export function retryDelay(attempts: number): number {
  return FIRST_DELAY_MS * 4 ** (attempts - 1);
}

/** Some chunks of one restore session. */
export interface ChunkRequest {
  readonly session: string;
  /** `sha256:<hex>`; duplicates are downloaded once. */
  readonly hashes: readonly string[];
  /** The key that seals these chunks, if not the account's own. */
  readonly key?: Uint8Array;
}

/**
 * Downloads, opens and verifies a few chunks in this thread; each is requested again if it is missing or damaged.
 *
 * @returns the plaintexts, in the order of the hashes
 * @throws HoldfastError `chunk_missing`, `chunk_tampered` or `chunk_corrupt`, details `{chunk}`, if that persists
 */
export async function fetchChunks(
  { session, hashes, key }: ChunkRequest,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): Promise<readonly Buffer[]> {
  const keyOf = (digest: Uint8Array): Uint8Array => key ?? chunkKeysOf(deps.keys.chunk).keyOf(digest);
  const opened = new Map<string, Buffer>();
  let wanted: readonly string[] = [...new Set(hashes)];
  for (let attempts = 1; ; attempts += 1) {
    const problems = new Map<string, HoldfastError>();
    const onBlob = (hash: string, bytes: Uint8Array | undefined): void => {
      const outcome = tryOpen(keyOf, hash, bytes);
      if (Buffer.isBuffer(outcome)) opened.set(hash, outcome);
      else problems.set(hash, outcome);
    };
    await deps.downloader.download(session, wanted, onBlob, signal);
    wanted = wanted.filter((hash) => !opened.has(hash));
    const [first] = wanted;
    if (first === undefined) return hashes.map((hash) => opened.get(hash)!);
    if (attempts === CHUNK_ATTEMPTS) throw problems.get(first) ?? new HoldfastError('chunk_missing', { chunk: first });
    await deps.clock.sleep(retryDelay(attempts), signal);
  }
}

function tryOpen(
  keyOf: (digest: Uint8Array) => Uint8Array,
  hash: string,
  bytes: Uint8Array | undefined,
): Buffer | HoldfastError {
  if (!bytes) return new HoldfastError('chunk_missing', { chunk: hash });
  const digest = Buffer.from(hexDigestOf(hash), 'hex');
  try {
    return openBlob(keyOf(digest), bytes, digest);
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
}
