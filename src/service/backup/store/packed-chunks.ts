/**
 * A file's chunk list as one byte string, 42 bytes a chunk: SHA-256 digest (32), plaintext size (4, big endian), id in the chunk
 * table (6, big endian). Digest and size come first and together, since manifests are compared with them; the id saves a lookup
 * wherever chunks are counted.
 */
export const PACKED_CHUNK_BYTES = 42;

const DIGEST_BYTES = 32;
const SIZE_OFFSET = 32;
const ID_OFFSET = 36;

/** The largest chunk that a manifest may name; blobs are read into memory one at a time. */
export const MAXIMUM_CHUNK_BYTES = 64 * 2 ** 20;

export function chunkCountOf(packed: Buffer): number {
  return packed.length / PACKED_CHUNK_BYTES;
}

/** Allocates memory for `count` chunks, to be filled by `writeChunk` and `writeChunkId`. */
export function allocateChunks(count: number): Buffer {
  return Buffer.allocUnsafe(count * PACKED_CHUNK_BYTES);
}

/** Writes a chunk with the id 0, which `writeChunkId` replaces. `hash` is a validated `sha256:<hex>`. */
export function writeChunk(packed: Buffer, index: number, hash: string, size: number): void {
  const offset = index * PACKED_CHUNK_BYTES;
  packed.write(hash.slice(7), offset, DIGEST_BYTES, 'hex');
  packed.writeUInt32BE(size, offset + SIZE_OFFSET);
  packed.writeUIntBE(0, offset + ID_OFFSET, 6);
}

export function writeChunkId(packed: Buffer, index: number, id: number): void {
  packed.writeUIntBE(id, index * PACKED_CHUNK_BYTES + ID_OFFSET, 6);
}

export function chunkIdAt(packed: Buffer, index: number): number {
  return packed.readUIntBE(index * PACKED_CHUNK_BYTES + ID_OFFSET, 6);
}

export function chunkSizeAt(packed: Buffer, index: number): number {
  return packed.readUInt32BE(index * PACKED_CHUNK_BYTES + SIZE_OFFSET);
}

/** Returns a view, not a copy. */
export function chunkDigestAt(packed: Buffer, index: number): Buffer {
  const offset = index * PACKED_CHUNK_BYTES;
  return packed.subarray(offset, offset + DIGEST_BYTES);
}

/** Returns the hashes in the format of the interface, in file order. */
export function chunkHashesOf(packed: Buffer): string[] {
  const hashes: string[] = [];
  for (let offset = 0; offset < packed.length; offset += PACKED_CHUNK_BYTES) {
    hashes.push(`sha256:${packed.toString('hex', offset, offset + DIGEST_BYTES)}`);
  }
  return hashes;
}

/** Returns whether both lists contain the same chunks with the same sizes, regardless of their ids. */
export function sameChunks(a: Buffer, b: Buffer): boolean {
  if (a.length !== b.length) return false;
  for (let offset = 0; offset < a.length; offset += PACKED_CHUNK_BYTES) {
    const end = offset + ID_OFFSET;
    if (a.compare(b, offset, end, offset, end) !== 0) return false;
  }
  return true;
}
