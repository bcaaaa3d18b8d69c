import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The most bytes of an opened part, so that a manipulated bucket cannot exhaust the memory. */
const LARGEST = 64 * 2 ** 20;

/** An object of the copy was altered. */
export class CopyDamagedError extends Error {
  override readonly name = 'CopyDamagedError';
}

/**
 * Compresses with zstd, then encrypts with AES-256-GCM: IV (12) ‖ ciphertext ‖ tag (16). The bucket's provider learns no names or
 * times.
 *
 * @param key 32 bytes
 * @param name the object's name, which is authenticated too
 */
export function sealCopy(key: Uint8Array, name: string, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(boundTo(name));
  return Buffer.concat([iv, cipher.update(zstdCompressSync(bytes)), cipher.final(), cipher.getAuthTag()]);
}

/** @throws CopyDamagedError if it was altered, or sealed under another key or name */
export function openCopy(key: Uint8Array, name: string, sealed: Uint8Array): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(name)).setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const packed = decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES));
    decipher.final();
    return zstdDecompressSync(packed, { maxOutputLength: LARGEST });
  } catch (cause) {
    throw new CopyDamagedError(name, { cause });
  }
}

function boundTo(name: string): Buffer {
  return Buffer.from(`holdfast/v1/metadata-copy/${name}`, 'utf8');
}
