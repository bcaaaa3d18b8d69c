import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import { formatChunkHash } from '../../protocol/chunk.ts';
import { openBlob } from '../../engine/crypto/blob.ts';
import { chunkKeysOf } from '../../engine/crypto/chunk-keys.ts';
import { packName } from '../format/file-names.ts';
import type { Repository } from '../repository.ts';

/**
 * Reads and opens one chunk, from the first pack that has an undamaged copy.
 *
 * @throws HoldfastError `chunk_missing` if no pack has it, `chunk_tampered` or `chunk_corrupt` if all copies are damaged
 */
export async function readChunk(
  { projection, storage, keys }: Pick<Repository, 'projection' | 'storage' | 'keys'>,
  digest: Buffer,
  signal?: AbortSignal,
): Promise<Buffer> {
  const key = chunkKeysOf(keys.chunk).keyOf(digest);
  let damage: HoldfastError | undefined;
  for (const { packHash, offset, length } of projection.packs.locate(digest)) {
    const blob = await storage.get(packName(packHash), { offset, length }, signal);
    if (blob?.length !== length) continue;
    try {
      return openBlob(key, blob, digest);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      damage ??= error;
    }
  }
  throw damage ?? new HoldfastError('chunk_missing', { chunk: formatChunkHash(digest.toString('hex')) });
}
