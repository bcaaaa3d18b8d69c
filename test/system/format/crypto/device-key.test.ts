import { execFileSync } from 'node:child_process';
import { createPublicKey, diffieHellman } from 'node:crypto';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  newDeviceKey,
  openFromDevice,
  parseDeviceKey,
  sealToDevice,
} from '../../../../src/format/crypto/device-key.ts';
import { keyIdOf } from '../../../../src/format/crypto/keys.ts';

const MASTER = Buffer.alloc(32, 4);
const keyId = keyIdOf(MASTER);
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** RFC 7748, section 5.2, the first vector, and Bob's keys of section 6.1. */
const SCALAR = 'a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4';
const COORDINATE = 'e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c';
const PRODUCT = 'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552';
const BOB = {
  secret: '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb',
  public: 'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
};

const SCRIPT = path.join(import.meta.dirname, '../../independent/open_slot.py');
/** Debian's packages are for Debian's own Python. */
const PYTHON = '/usr/bin/python3';

function isPythonMissing(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'from cryptography.hazmat.primitives.asymmetric import x25519'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

describe('a device key', () => {
  const author = newDeviceKey();
  const recipient = newDeviceKey();
  const sealed = sealToDevice(MASTER, { keyId, author, recipient: recipient.publicKey });
  const ends = { keyId, author: author.publicKey, recipient };

  test('follows RFC 7748', () => {
    const x = Buffer.from(COORDINATE, 'hex').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
    const { privateKey } = parseDeviceKey(Buffer.from(SCALAR, 'hex'));
    expect(hexOf(diffieHellman({ privateKey, publicKey }))).toBe(PRODUCT);
    expect(hexOf(parseDeviceKey(Buffer.from(BOB.secret, 'hex')).publicKey)).toBe(BOB.public);
  });

  test('is the same after it was stored', () => {
    const { secret, publicKey } = newDeviceKey();
    expect(parseDeviceKey(secret)).toMatchObject({ secret, publicKey });
    expect(() => parseDeviceKey(secret.subarray(1))).toThrow(RangeError);
  });

  test('opens what was sealed to it', () => {
    expect(hexOf(openFromDevice(sealed, ends)!)).toBe(hexOf(MASTER));
    expect(sealed).toHaveLength(92);
    expect(sealed.includes(MASTER)).toBe(false);
  });

  test('opens what it sealed to itself', () => {
    const own = sealToDevice(MASTER, { keyId, author, recipient: author.publicKey });
    expect(openFromDevice(own, { keyId, author: author.publicKey, recipient: author })).toBeDefined();
  });

  test('opens nothing that is for another device, from another one, or of another key', () => {
    const other = newDeviceKey();
    expect(openFromDevice(sealed, { ...ends, recipient: other })).toBeUndefined();
    expect(openFromDevice(sealed, { ...ends, recipient: author })).toBeUndefined();
    expect(openFromDevice(sealed, { ...ends, author: other.publicKey })).toBeUndefined();
    expect(openFromDevice(sealed, { ...ends, keyId: '0'.repeat(32) })).toBeUndefined();
  });

  test('refuses any altered bit, and another length', () => {
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      // RFC 7748, section 5: the last bit of a public key is ignored, but it is part of what is derived.
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(openFromDevice(altered, ends)).toBeUndefined();
    }
    expect(openFromDevice(sealed.subarray(1), ends)).toBeUndefined();
    expect(openFromDevice(Buffer.concat([sealed, Buffer.of(0)]), ends)).toBeUndefined();
  });

  test('refuses points of small order', () => {
    const zero = Buffer.concat([Buffer.alloc(32), sealed.subarray(32)]);
    expect(openFromDevice(zero, ends)).toBeUndefined();
    expect(openFromDevice(sealed, { ...ends, author: Buffer.alloc(32) })).toBeUndefined();
  });

  describe.skipIf(isPythonMissing())('and an independent program', () => {
    const run = (...inputs: readonly string[]): string =>
      execFileSync(PYTHON, [SCRIPT, ...inputs], { encoding: 'utf8' }).trim();

    test('open what the other one sealed', () => {
      const opened = run('open', keyId, hexOf(author.publicKey), hexOf(recipient.secret), hexOf(sealed));
      expect(opened).toBe(hexOf(MASTER));
      const theirs = run('seal', keyId, hexOf(author.secret), hexOf(recipient.publicKey), hexOf(MASTER));
      expect(hexOf(openFromDevice(Buffer.from(theirs, 'hex'), ends)!)).toBe(hexOf(MASTER));
    });
  });
});
