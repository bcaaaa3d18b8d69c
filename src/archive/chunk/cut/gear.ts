import { createHash } from 'node:crypto';

/**
 * The 256 words of the gear hash: word `i` is the first four bytes, little-endian, of
 * SHA-256("holdfast/v1/gear/" followed by `i` in decimal). A change of any word changes every cut, so that nothing that was
 * backed up before is deduplicated.
 */
export const GEAR: Uint32Array = Uint32Array.from({ length: 256 }, (_, index) =>
  createHash('sha256').update(`holdfast/v1/gear/${index}`).digest().readUInt32LE(0),
);
