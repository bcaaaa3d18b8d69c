import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import { CHUNK_RECORD_BYTES, chunkCount, DIGEST_BYTES, sizeAt } from '../../format/chunks/chunk-list.ts';

/** Concatenates the raw digests of chunk hashes (`sha256:<hex>`), 32 bytes each, as the plan store has them. */
export function digestsOfHashes(hashes: readonly string[]): Buffer {
  const digests = Buffer.allocUnsafe(hashes.length * DIGEST_BYTES);
  hashes.forEach((hash, index) => digests.write(hexDigestOf(hash), index * DIGEST_BYTES, 'hex'));
  return digests;
}

/** Concatenates the digests of a chunk list. */
export function digestsOfList(list: Buffer): Buffer {
  const digests = Buffer.allocUnsafe(chunkCount(list) * DIGEST_BYTES);
  for (let index = 0; index < chunkCount(list); index += 1) {
    const start = index * CHUNK_RECORD_BYTES;
    list.copy(digests, index * DIGEST_BYTES, start, start + DIGEST_BYTES);
  }
  return digests;
}

/** The sizes of a chunk list, 32-bit big-endian. */
export function sizesOfList(list: Buffer): Buffer {
  const sizes = Buffer.allocUnsafe(chunkCount(list) * 4);
  for (let index = 0; index < chunkCount(list); index += 1) sizes.writeUInt32BE(sizeAt(list, index), index * 4);
  return sizes;
}
