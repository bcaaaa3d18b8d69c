import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * HMAC-SHA256 (RFC 2104) of short messages; strings are taken as UTF-8.
 *
 * One implementation for Node, Electron and the browser. What runs once for each chunk or blob (bulk SHA-256, AES-GCM,
 * chunk keys, presigned URLs) uses node:crypto, which is several times faster (docs/decisions/history/0095-one-hash-library.md).
 */
export function hmacSha256(key: string | Uint8Array, message: string | Uint8Array): Buffer {
  return Buffer.from(hmac(sha256, bytesOf(key), bytesOf(message)));
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value;
}
