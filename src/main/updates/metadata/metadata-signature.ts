import { createPublicKey, verify } from 'node:crypto';

/** The length of an Ed25519 signature in bytes. */
export const SIGNATURE_BYTES = 64;

/**
 * Returns whether one of the keys has signed the bytes.
 *
 * @param keys Ed25519, as DER SubjectPublicKeyInfo in base64; others are ignored
 * @see docs/decisions/0203-signed-updates.md
 */
export function isSigned(bytes: Uint8Array, signature: Uint8Array, keys: readonly string[]): boolean {
  return signature.length === SIGNATURE_BYTES && keys.some((key) => hasSigned(key, bytes, signature));
}

function hasSigned(key: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    const opened = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    // With a key of another kind, null would choose another algorithm.
    return opened.asymmetricKeyType === 'ed25519' && verify(null, bytes, opened, signature);
  } catch {
    return false;
  }
}
