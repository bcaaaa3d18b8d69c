import { z } from 'zod';

/** `sha256:` and 64 lowercase hex digits: the SHA-256 of the plaintext chunk. */
export const chunkHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256:<64 lowercase hex digits>');

/** A chunk in a backup manifest; `size` is in plaintext bytes. */
export const chunkReference = z.object({
  hash: chunkHash,
  size: z.int().positive(),
});
export type ChunkReference = z.infer<typeof chunkReference>;
