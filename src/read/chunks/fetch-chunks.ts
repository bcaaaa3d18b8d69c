import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import type { BlobKind } from '../../format/crypto/blob.ts';
import { chunkKeysOf, openEnvelope } from '../../format/crypto/chunk-keys.ts';
import type { BlobDownloader } from '../../remote/ports.ts';
import type { ReadDependencies } from '../types.ts';
import { digestOf } from '../../format/chunks/digest.ts';

export type ChunkDependencies = Pick<ReadDependencies, 'downloader' | 'keys' | 'clock'>;

const ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

/** The number of requests for a missing or damaged chunk before it counts as lost. Other destinations take none of the first one's. */
export function chunkAttempts({ several }: Pick<BlobDownloader, 'several'>): number {
  return ATTEMPTS + (several?.others ?? 0);
}

/** Milliseconds before the next attempt, after `attempts` of them. */
export function retryDelay(attempts: number): number {
  return FIRST_DELAY_MS * 4 ** (Math.min(attempts, ATTEMPTS - 1) - 1);
}

/** Some chunks of one restore session. */
export interface ChunkRequest {
  readonly session: string;
  /** `sha256:<hex>`; duplicates are downloaded once. */
  readonly hashes: readonly string[];
  /** `data` and `tree` are sealed with the account's own keys. `data` by default. */
  readonly kind?: BlobKind;
  /** Receives each plaintext as soon as it is verified. */
  readonly onChunk?: (hash: string, plaintext: Buffer) => void;
}

/**
 * Downloads, opens and verifies a few chunks in this thread; each is requested again if it is missing or damaged.
 *
 * @returns the plaintexts, in the order of the hashes
 * @throws HoldfastError `chunk_missing`, `chunk_tampered` or `chunk_corrupt`, details `{chunk}`, if that persists
 */
export async function fetchChunks(
  request: ChunkRequest,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): Promise<readonly Buffer[]> {
  const outcomes = await fetchEach(request, deps, signal);
  return request.hashes.map((hash) => {
    const outcome = outcomes.get(hash)!;
    if (Buffer.isBuffer(outcome)) return outcome;
    throw outcome;
  });
}

/** Does the same, and returns for each hash the plaintext or the error of `fetchChunks`. */
export async function fetchEach(
  { session, hashes, kind, onChunk }: ChunkRequest,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Buffer | HoldfastError>> {
  const open: Opener = (bytes, digest) =>
    kind === 'envelope' ? openEnvelope(bytes, digest) : chunkKeysOf(deps.keys.chunk).open(bytes, digest);
  const outcomes = new Map<string, Buffer | HoldfastError>();
  let wanted: readonly string[] = [...new Set(hashes)];
  for (const hash of wanted) outcomes.set(hash, new HoldfastError('chunk_missing', { chunk: hash }));
  for (let attempts = 1; wanted.length > 0; attempts += 1) {
    const onBlob = (hash: string, bytes: Uint8Array | undefined): void => {
      const outcome = tryOpen(open, hash, bytes);
      const { several } = deps.downloader;
      if (several && bytes && !Buffer.isBuffer(outcome)) several.reject(hash, several.delivering);
      outcomes.set(hash, outcome);
      if (Buffer.isBuffer(outcome)) onChunk?.(hash, outcome);
    };
    await deps.downloader.download(session, wanted, onBlob, signal);
    wanted = wanted.filter((hash) => !Buffer.isBuffer(outcomes.get(hash)));
    if (wanted.length === 0 || attempts === chunkAttempts(deps.downloader)) break;
    await deps.clock.sleep(retryDelay(attempts), signal);
  }
  return outcomes;
}

type Opener = (blob: Uint8Array, digest: Buffer) => Buffer;

function tryOpen(open: Opener, hash: string, bytes: Uint8Array | undefined): Buffer | HoldfastError {
  if (!bytes) return new HoldfastError('chunk_missing', { chunk: hash });
  const digest = digestOf(hash);
  try {
    return open(bytes, digest);
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
}
