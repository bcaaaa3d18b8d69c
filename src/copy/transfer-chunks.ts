import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors/errors.ts';
import { formatChunkHash } from '../protocol/chunk-hash.ts';
import { CHUNK_RECORD_BYTES, chunkCount, digestAt, sizeAt } from '../format/chunks/chunk-list.ts';
import { MAX_CHUNK } from '../archive/chunk/cut/fastcdc.ts';
import type { DigestSet } from '../format/chunks/digest-set.ts';
import { chunkAttempts, retryDelay } from '../read/chunks/fetch-chunks.ts';
import { packChunks, type FetchedChunk } from '../read/chunks/packed-chunks.ts';
import type { CopyPool } from './types.ts';
import { someAtOnceOrFirstError } from '../remote/blobs/all-or-first-error.ts';
import type { BlobDownloader, BlobUploader, SealedBlob } from '../remote/ports.ts';
import type { BlobForm } from '../format/crypto/blob.ts';
import type { EpochKeys } from '../format/crypto/keys.ts';

/** Limits of the blobs that are in memory together. A lane has one batch. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_CHUNKS = 256;
const LANES = 3;

/** The size of a chunk that nothing proves. Its digest proves the chunk. */
export const UNKNOWN_SIZE = 0;

export interface Transfer {
  /** Lists of the chunks to copy (chunk-list.ts), with `UNKNOWN_SIZE` for what only a service says. */
  readonly lists: readonly Buffer[];
  /** Digests of the tree's pieces. */
  readonly pieces: DigestSet;
  /** The restore session that they are read from. */
  readonly restoreSession: string;
  /** The backup session that they are sent to. */
  readonly session: string;
}

export interface TransferParts {
  readonly downloader: BlobDownloader;
  readonly uploader: BlobUploader;
  readonly pool: CopyPool;
  readonly chunkSubKeys: EpochKeys;
  /** How the other destination takes blobs. */
  readonly form: BlobForm;
  readonly clock: Clock;
  /** Called after each batch. @param bytes of sealed blobs that were new */
  readonly onCopied: (chunks: number, bytes: number) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies blobs as they are; compressed ones are sealed anew for a destination that takes none. Each is opened first: what is damaged is not
 * passed on.
 *
 * @returns the chunks that could not be read, with the reasons
 */
export async function transferChunks(
  transfer: Transfer,
  parts: TransferParts,
): Promise<ReadonlyMap<string, ErrorCode>> {
  const lost = new Map<string, ErrorCode>();
  const copy = async (batch: Buffer, signal: AbortSignal): Promise<void> => {
    const { blobs, damaged } = await readBlobs(batch, transfer, parts, signal);
    for (const [hash, reason] of damaged) lost.set(hash, reason);
    const stored = await parts.uploader.upload(transfer.session, blobs, signal);
    parts.onCopied(blobs.length, stored.bytes);
  };
  await someAtOnceOrFirstError(LANES, batchesOf(transfer.lists), copy, parts.signal);
  return lost;
}

const NONE: ReadonlyMap<number, Uint8Array> = new Map();

interface ReadBlobs {
  readonly blobs: readonly SealedBlob[];
  readonly damaged: ReadonlyMap<string, ErrorCode>;
}

/** Downloads and opens the blobs of a batch; each is requested again if it is missing or damaged. */
async function readBlobs(
  batch: Buffer,
  { pieces, restoreSession }: Transfer,
  { downloader, pool, chunkSubKeys, form, clock }: TransferParts,
  signal: AbortSignal,
): Promise<ReadBlobs> {
  const blobs: SealedBlob[] = [];
  const damaged = new Map<string, ErrorCode>();
  let left = Array.from({ length: chunkCount(batch) }, (_, index) => {
    const digest = digestAt(batch, index);
    const kind = pieces.has(digest) ? 'tree' : 'data';
    return { hash: formatChunkHash(digest.toString('hex')), size: sizeAt(batch, index), kind } as const;
  });
  for (let attempts = 1; left.length > 0; attempts += 1) {
    const fetched = new Map<string, FetchedChunk>();
    const { several } = downloader;
    const onBlob = (hash: string, bytes: Uint8Array | undefined): void => {
      const source = bytes && several?.delivering;
      // The blob is still needed after a worker has opened it.
      fetched.set(hash, { input: bytes ?? null, length: undefined, shared: true, source });
    };
    const hashes = left.map(({ hash }) => hash);
    await downloader.download(restoreSession, hashes, onBlob, signal);
    const { transfer, ...packed } = packChunks(left, fetched);
    const input = { chunkSubKeys, ...packed };
    const { results, blobs: resealed } =
      form === 'plain'
        ? await pool.run('resealChunks', input, transfer)
        : { results: await pool.run('checkChunks', input, transfer), blobs: NONE };
    left = left.filter((chunk, index) => {
      const result = results[index]!;
      const { input: bytes, source } = fetched.get(chunk.hash) ?? {};
      const isWhole = typeof result === 'number' && (chunk.size === UNKNOWN_SIZE || result === chunk.size);
      if (isWhole && bytes instanceof Uint8Array) {
        blobs.push({ ...chunk, size: result, bytes: resealed.get(index) ?? bytes });
        damaged.delete(chunk.hash);
        return false;
      }
      if (source) several?.reject(chunk.hash, source);
      damaged.set(chunk.hash, typeof result === 'number' ? 'chunk_corrupt' : result);
      return true;
    });
    if (attempts === chunkAttempts(downloader)) break;
    if (left.length > 0) await clock.sleep(retryDelay(attempts), signal);
  }
  return { blobs, damaged };
}

/** Yields parts of the lists, each of as many chunks as one batch may have. */
function* batchesOf(lists: readonly Buffer[]): Generator<Buffer> {
  for (const list of lists) {
    let start = 0;
    let bytes = 0;
    for (let index = 0; index < chunkCount(list); index += 1) {
      bytes += sizeAt(list, index) || MAX_CHUNK;
      const isFull = bytes >= BATCH_BYTES || index - start + 1 === BATCH_CHUNKS || index === chunkCount(list) - 1;
      if (!isFull) continue;
      yield list.subarray(start * CHUNK_RECORD_BYTES, (index + 1) * CHUNK_RECORD_BYTES);
      start = index + 1;
      bytes = 0;
    }
  }
}
