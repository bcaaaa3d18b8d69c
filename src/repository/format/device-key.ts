import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

const PUBLIC_KEY_BYTES = 32;

/** Characters of a device id. */
const ID_DIGITS = 32;

/** A device's Ed25519 key pair (RFC 8032), which signs its segments. */
export interface DeviceKey {
  /** `deviceIdOf` its public key. */
  readonly id: string;
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The private key for the key store: base64url of 32 bytes. */
  readonly text: string;
}

export function newDeviceKey(): DeviceKey {
  return deviceKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** Reads a key from the key store. @throws Error if it is malformed */
export function parseDeviceKey(text: string): DeviceKey {
  const seed = Buffer.from(text, 'base64url');
  if (seed.length !== PUBLIC_KEY_BYTES) throw new RangeError('a device key has 32 bytes');
  return deviceKeyOf(createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' }));
}

/**
 * The id of a device: the first 16 bytes of its public key's SHA-256, in hex. So nobody can append to another device's ledger.
 */
export function deviceIdOf(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'hex').slice(0, ID_DIGITS);
}

/** @param bytes 32 bytes */
export function publicKeyOf(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** The DER header of a PKCS #8 private key of Ed25519 (RFC 8410), which the 32 bytes of the seed follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function deviceKeyOf(privateKey: KeyObject): DeviceKey {
  const { d, x } = privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x!, 'base64url');
  return { id: deviceIdOf(publicKey), privateKey, publicKey, text: d! };
}
