import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { MASTER_KEY_BYTES, type MasterKey } from './keys.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a sealed master key. */
export const SEALED_MASTER_BYTES = IV_BYTES + MASTER_KEY_BYTES + TAG_BYTES;

/**
 * Seals a master key as IV (12) ‖ ciphertext (32) ‖ tag (16), AES-256-GCM.
 *
 * @param context associated data
 */
export function sealMaster(key: Uint8Array, master: MasterKey, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([iv, cipher.update(master), cipher.final(), cipher.getAuthTag()]);
}

/** Opens a sealed master key. Returns `undefined` if it was altered, or sealed with another key or context. */
export function openMaster(key: Uint8Array, sealed: Uint8Array, context: string): MasterKey | undefined {
  if (sealed.length !== SEALED_MASTER_BYTES) return undefined;
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const master = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
  try {
    decipher.final();
    return master;
  } catch {
    return undefined;
  }
}
