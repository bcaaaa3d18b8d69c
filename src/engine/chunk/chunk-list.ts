/**
 * A file's chunks as stored in the catalog: 36 bytes per chunk, in file order. A record consists of the SHA-256 digest and
 * the plaintext size as a 32-bit little-endian integer.
 */
export const CHUNK_RECORD_BYTES = 36;
export const DIGEST_BYTES = 32;

export function chunkCount(list: Uint8Array): number {
  return list.length / CHUNK_RECORD_BYTES;
}

/** Returns a view, not a copy. */
export function digestAt(list: Buffer, index: number): Buffer {
  const start = index * CHUNK_RECORD_BYTES;
  return list.subarray(start, start + DIGEST_BYTES);
}

export function sizeAt(list: Buffer, index: number): number {
  return list.readUInt32LE(index * CHUNK_RECORD_BYTES + DIGEST_BYTES);
}

export function hexDigestAt(list: Buffer, index: number): string {
  const start = index * CHUNK_RECORD_BYTES;
  return list.toString('hex', start, start + DIGEST_BYTES);
}

export function writeChunkRecord(list: Buffer, index: number, digest: Uint8Array, size: number): void {
  list.set(digest, index * CHUNK_RECORD_BYTES);
  list.writeUInt32LE(size, index * CHUNK_RECORD_BYTES + DIGEST_BYTES);
}

/** Sums the sizes of all chunks. */
export function plaintextBytes(list: Buffer): number {
  let bytes = 0;
  for (let index = 0; index < chunkCount(list); index += 1) bytes += sizeAt(list, index);
  return bytes;
}
