import { z } from 'zod';

/** `sha256:` and 64 lowercase hex digits: the SHA-256 of the plaintext chunk. */
export const chunkHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256:<64 lowercase hex digits>');

/** A chunk as it stands in a backup manifest; `size` counts plaintext bytes. */
export const chunkReference = z.object({
  hash: chunkHash,
  size: z.int().positive(),
});
export type ChunkReference = z.infer<typeof chunkReference>;

/** Bytes that sealing adds to a chunk: 12 of IV and 16 of GCM tag. */
export const BLOB_OVERHEAD = 28;

const HASH_PREFIX = 'sha256:';

/** The 32 raw bytes as the interface writes them. */
export function formatChunkHash(hexDigest: string): string {
  return HASH_PREFIX + hexDigest;
}

/** The 64 hex digits of a chunk hash that has already been validated. */
export function hexDigestOf(hash: string): string {
  return hash.slice(HASH_PREFIX.length);
}
