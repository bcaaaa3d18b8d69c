import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keysOfEpoch, type EpochKeys } from '../crypto/keys.ts';

const CIPHER = 'aes-256-gcm';
const EPOCH_BYTES = 2;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes that sealing adds. */
export const SEAL_OVERHEAD = EPOCH_BYTES + IV_BYTES + TAG_BYTES;

/**
 * Seals bytes in the current epoch as uint16 epoch ‖ IV (12) ‖ ciphertext ‖ tag (16), AES-256-GCM (NIST SP 800-38D). One key seals fewer
 * than 2^32 files, the limit for random IVs.
 *
 * @param context associated data, which say where the bytes belong. The epoch is put before them
 */
export function sealBytes([{ epoch, key }]: EpochKeys, plaintext: Uint8Array, context: Uint8Array): Buffer {
  const stated = Buffer.alloc(EPOCH_BYTES);
  stated.writeUInt16BE(epoch);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([stated, context]));
  return Buffer.concat([stated, iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the epoch that sealed bytes state, which nobody has verified; 0 if they are too short. */
export function sealedEpochOf(sealed: Uint8Array): number {
  return sealed.length < EPOCH_BYTES ? 0 : sealed[0]! * 256 + sealed[1]!;
}

/** Opens sealed bytes. Returns `undefined` if they were altered, moved from another place or sealed under another key. */
export function openBytes(keys: EpochKeys, sealed: Uint8Array, context: Uint8Array): Buffer | undefined {
  if (sealed.length < SEAL_OVERHEAD) return undefined;
  for (const { key } of keysOfEpoch(keys, sealedEpochOf(sealed))) {
    const opened = openWith(key, sealed, context);
    if (opened) return opened;
  }
  return undefined;
}

function openWith(key: Uint8Array, sealed: Uint8Array, context: Uint8Array): Buffer | undefined {
  const ivEnd = EPOCH_BYTES + IV_BYTES;
  const tagStart = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(EPOCH_BYTES, ivEnd), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([sealed.subarray(0, EPOCH_BYTES), context]));
  decipher.setAuthTag(sealed.subarray(tagStart));
  const plaintext = decipher.update(sealed.subarray(ivEnd, tagStart));
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
