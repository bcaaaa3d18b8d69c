import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { MasterKey } from './keys.ts';
import { openMaster, SEALED_MASTER_BYTES, sealMaster } from './sealed-master.ts';

/** Bytes of a public key and of a private one. */
export const DEVICE_KEY_BYTES = 32;
/** Bytes of a master key that is sealed to a device: an ephemeral public key and the sealed key. */
export const SEALED_TO_DEVICE_BYTES = DEVICE_KEY_BYTES + SEALED_MASTER_BYTES;

/** The X25519 key pair (RFC 7748) of a computer. A rotation seals the new master key to it. */
export interface DeviceKey {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The private key for the key store: 32 bytes. */
  readonly secret: Uint8Array;
}

/** A master key in transit, and the ends of the way. */
interface Transit {
  /** `keyIdOf` the master key. */
  readonly keyId: string;
  readonly ephemeral: Uint8Array;
  readonly author: Uint8Array;
  readonly recipient: Uint8Array;
}

export function newDeviceKey(): DeviceKey {
  return deviceKeyOf(generateKeyPairSync('x25519').privateKey);
}

/** @param secret 32 bytes from the key store */
export function parseDeviceKey(secret: Uint8Array): DeviceKey {
  if (secret.length !== DEVICE_KEY_BYTES) throw new RangeError(`a device key has ${DEVICE_KEY_BYTES} bytes`);
  return deviceKeyOf(createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, secret]), format: 'der', type: 'pkcs8' }));
}

/**
 * Seals a master key so that only one device opens it, which then knows which device sealed it: an ephemeral public key (32) ‖ the
 * key, sealed under HKDF of both Diffie-Hellman results (docs/format.md).
 *
 * @param recipient public key
 */
export function sealToDevice(
  master: MasterKey,
  { keyId, author, recipient }: { readonly keyId: string; readonly author: DeviceKey; readonly recipient: Uint8Array },
  ephemeral = newDeviceKey(),
): Buffer {
  const to = publicKeyOf(recipient);
  const secrets = [agree(ephemeral.privateKey, to), agree(author.privateKey, to)];
  const transit = { keyId, ephemeral: ephemeral.publicKey, author: author.publicKey, recipient };
  return Buffer.concat([ephemeral.publicKey, sealMaster(keyFor(secrets, transit), master, slotContext(keyId))]);
}

/**
 * Opens a master key that a device sealed to this one.
 *
 * @param author public key
 * @returns `undefined` if it was altered, is for another device, or is not from this author
 */
export function openFromDevice(
  sealed: Uint8Array,
  { keyId, author, recipient }: { readonly keyId: string; readonly author: Uint8Array; readonly recipient: DeviceKey },
): MasterKey | undefined {
  if (sealed.length !== SEALED_TO_DEVICE_BYTES) return undefined;
  const ephemeral = sealed.subarray(0, DEVICE_KEY_BYTES);
  let secrets: readonly Buffer[];
  try {
    secrets = [ephemeral, author].map((from) => agree(recipient.privateKey, publicKeyOf(from)));
  } catch {
    // A point of small order.
    return undefined;
  }
  const transit = { keyId, ephemeral, author, recipient: recipient.publicKey };
  return openMaster(keyFor(secrets, transit), sealed.subarray(DEVICE_KEY_BYTES), slotContext(keyId));
}

/** Associated data of every slot. */
export function slotContext(keyId: string): string {
  return `holdfast/v1/slot/${keyId}`;
}

function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return diffieHellman({ privateKey, publicKey });
}

function keyFor(secrets: readonly Uint8Array[], { keyId, ephemeral, author, recipient }: Transit): Uint8Array {
  const info = [Buffer.from('holdfast/v1/device-slot\n'), Buffer.from(keyId, 'hex'), ephemeral, author, recipient];
  return hkdf(sha256, Buffer.concat(secrets), new Uint8Array(0), Buffer.concat(info), 32);
}

/** The DER headers of a PKCS #8 private key and of a public key of X25519 (RFC 8410), which the 32 bytes follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

function deviceKeyOf(privateKey: KeyObject): DeviceKey {
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-DEVICE_KEY_BYTES);
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-DEVICE_KEY_BYTES);
  return { privateKey, publicKey: Uint8Array.from(publicKey), secret: Uint8Array.from(secret) };
}
