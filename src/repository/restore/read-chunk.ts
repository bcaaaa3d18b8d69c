import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { chunkKeysOf } from '../../format/crypto/chunk-keys.ts';
import type { Repository } from '../repository.ts';
import { copiesOf } from './copies-of.ts';

/**
 * Reads and opens one chunk, from the first pack that has an undamaged copy, or else by the parity of a pack.
 *
 * @param read the chunk's blob, if it was read together with others; `undefined` or a damaged one is read by itself
 * @throws HoldfastError `chunk_missing` if no pack has it, `chunk_tampered` or `chunk_corrupt` if all copies are damaged
 */
export async function readChunk(
  { projection, storage, keys, parity }: Pick<Repository, 'projection' | 'storage' | 'keys' | 'parity'>,
  digest: Buffer,
  signal?: AbortSignal,
  read?: Uint8Array,
): Promise<Buffer> {
  let damage: HoldfastError | undefined;
  const opened = read && tryOpen(read);
  if (opened) return opened;
  for await (const { bytes } of copiesOf({ storage, parity }, projection.packs.locate(digest), signal)) {
    const plaintext = tryOpen(bytes);
    if (plaintext) return plaintext;
  }
  throw damage ?? new HoldfastError('chunk_missing', { chunk: formatChunkHash(digest.toString('hex')) });

  function tryOpen(blob: Uint8Array): Buffer | undefined {
    try {
      return chunkKeysOf(keys.chunk).open(blob, digest);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      damage ??= error;
      return undefined;
    }
  }
}
