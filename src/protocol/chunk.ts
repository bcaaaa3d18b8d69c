import { z } from 'zod';

/** `sha256:` and 64 lowercase hex digits: the SHA-256 of the plaintext chunk. */
export const chunkHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256:<64 lowercase hex digits>');

/** A chunk in a backup manifest; `size` is in plaintext bytes. */
export const chunkReference = z.object({
  hash: chunkHash,
  size: z.int().positive(),
});
export type ChunkReference = z.infer<typeof chunkReference>;

/** Bytes that sealing adds to a chunk: a 12-byte IV and a 16-byte GCM tag. */
export const BLOB_OVERHEAD = 28;

const HASH_PREFIX = 'sha256:';

/** Formats a digest as a chunk hash. */
export function formatChunkHash(hexDigest: string): string {
  return HASH_PREFIX + hexDigest;
}

/** Returns the 64 hex digits of a valid chunk hash. */
export function hexDigestOf(hash: string): string {
  return hash.slice(HASH_PREFIX.length);
}
