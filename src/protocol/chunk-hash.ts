const PREFIX = 'sha256:';

/** Formats a digest as a chunk hash. */
export function formatChunkHash(hexDigest: string): string {
  return PREFIX + hexDigest;
}

/** Returns the 64 hex digits of a valid chunk hash. */
export function hexDigestOf(hash: string): string {
  return hash.slice(PREFIX.length);
}
