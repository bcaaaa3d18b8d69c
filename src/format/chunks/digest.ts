import { hexDigestOf } from '../../protocol/chunk-hash.ts';

/** Returns the 32 bytes of a valid chunk hash (`sha256:…`). */
export function digestOf(hash: string): Buffer {
  return Buffer.from(hexDigestOf(hash), 'hex');
}
