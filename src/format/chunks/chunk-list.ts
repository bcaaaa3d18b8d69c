import { MIB } from '../../model/units.ts';

/**
 * A file's chunks as the catalog and the tree store them: 36 bytes per chunk, in file order. A record consists of the SHA-256
 * digest and the plaintext size as a 32-bit big-endian integer.
 */
export const CHUNK_RECORD_BYTES = 36;
export const DIGEST_BYTES = 32;

/** Maximum plaintext bytes of a chunk. */
export const MAX_CHUNK_BYTES = 4 * MIB;

export const NO_CHUNKS: Buffer = Buffer.alloc(0);

export function chunkCount(list: Uint8Array): number {
  return list.length / CHUNK_RECORD_BYTES;
}

/** Returns a view, not a copy. */
export function digestAt(list: Buffer, index: number): Buffer {
  const start = index * CHUNK_RECORD_BYTES;
  return list.subarray(start, start + DIGEST_BYTES);
}

export function sizeAt(list: Buffer, index: number): number {
  return list.readUInt32BE(index * CHUNK_RECORD_BYTES + DIGEST_BYTES);
}

export function hexDigestAt(list: Buffer, index: number): string {
  const start = index * CHUNK_RECORD_BYTES;
  return list.toString('hex', start, start + DIGEST_BYTES);
}

export function writeChunkRecord(list: Buffer, index: number, digest: Uint8Array, size: number): void {
  list.set(digest, index * CHUNK_RECORD_BYTES);
  list.writeUInt32BE(size, index * CHUNK_RECORD_BYTES + DIGEST_BYTES);
}

/** Sums the sizes of all chunks. */
export function plaintextBytes(list: Buffer): number {
  let bytes = 0;
  for (let index = 0; index < chunkCount(list); index += 1) bytes += sizeAt(list, index);
  return bytes;
}

/** Returns the text form: base64, which has no padding, since a record's bytes are a multiple of three. */
export function encodeChunkList(list: Buffer): string {
  return list.toString('base64');
}

/** Decodes the text form. Returns `undefined` for anything but complete records with sizes from 1 to MAX_CHUNK_BYTES. */
export function decodeChunkList(text: string): Buffer | undefined {
  const list = Buffer.from(text, 'base64');
  // Buffer ignores characters that are not base64.
  if (list.length * 4 !== text.length * 3 || list.length % CHUNK_RECORD_BYTES !== 0) return undefined;
  for (let index = 0; index < chunkCount(list); index += 1) {
    const size = sizeAt(list, index);
    if (size === 0 || size > MAX_CHUNK_BYTES) return undefined;
  }
  return list;
}
