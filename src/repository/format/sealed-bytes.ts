import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that sealing adds. */
export const SEAL_OVERHEAD = IV_BYTES + TAG_BYTES;

/**
 * Seals bytes as IV (12) ‖ ciphertext ‖ tag (16), AES-256-GCM (NIST SP 800-38D). One key seals fewer than 2^32 files, the
 * limit for random IVs.
 *
 * @param context associated data, which say where the bytes belong
 */
export function sealBytes(key: Uint8Array, plaintext: Uint8Array, context: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(context);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Opens sealed bytes. Returns `undefined` if they were altered, moved from another place or sealed under another key. */
export function openBytes(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer | undefined {
  if (sealed.length < SEAL_OVERHEAD) return undefined;
  const tagStart = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(context);
  decipher.setAuthTag(sealed.subarray(tagStart));
  const plaintext = decipher.update(sealed.subarray(IV_BYTES, tagStart));
  try {
    return Buffer.concat([plaintext, decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Associated data: a purpose, the repository's id and, for files with a name of their own, that name without its hash. */
export function sealContext(purpose: 'pack-table' | 'segment' | 'checkpoint', repository: string, place = ''): Buffer {
  return Buffer.concat([Buffer.from(`holdfast/v1/${purpose}\n`), Buffer.from(repository, 'hex'), Buffer.from(place)]);
}
