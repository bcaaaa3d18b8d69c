import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

const PUBLIC_KEY_BYTES = 32;

/** Characters of a writer id. */
const ID_DIGITS = 32;

/** A writer's Ed25519 key pair (RFC 8032), which signs its segments. */
export interface WriterKey {
  /** `writerIdOf` its public key. */
  readonly id: string;
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The private key for the key store: base64url of 32 bytes. */
  readonly text: string;
}

export function newWriterKey(): WriterKey {
  return writerKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** Reads a key from the key store. @throws Error if it is malformed */
export function parseWriterKey(text: string): WriterKey {
  const seed = Buffer.from(text, 'base64url');
  if (seed.length !== PUBLIC_KEY_BYTES) throw new RangeError('a writer key has 32 bytes');
  return writerKeyOf(createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' }));
}

/**
 * The id of a writer: the first 16 bytes of its public key's SHA-256, in hex. So nobody can append to another writer's ledger.
 */
export function writerIdOf(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'hex').slice(0, ID_DIGITS);
}

/** @param bytes 32 bytes */
export function publicKeyOf(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** The DER header of a PKCS #8 private key of Ed25519 (RFC 8410), which the 32 bytes of the seed follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function writerKeyOf(privateKey: KeyObject): WriterKey {
  const { d, x } = privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x!, 'base64url');
  return { id: writerIdOf(publicKey), privateKey, publicKey, text: d! };
}
