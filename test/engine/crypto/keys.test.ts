import { createHash, createHmac, hkdfSync } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkKeys, ENVELOPE_CHUNK_KEY } from '../../../src/engine/crypto/chunk-keys.ts';
import { deriveKeys, newMasterKey } from '../../../src/engine/crypto/keys.ts';
import hkdf from '../../fixtures/vectors/hkdf.json' with { type: 'json' };

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('sub-keys', () => {
  test.each(hkdf.tests)('the reference HKDF matches RFC 5869: $okm', (vector) => {
    const { ikm, salt, info, length } = vector;
    const okm = Buffer.from(hkdfSync('sha256', bytesOf(ikm), bytesOf(salt), bytesOf(info), length));
    expect(okm.toString('hex')).toBe(vector.okm);
    const prk = createHmac('sha256', bytesOf(salt)).update(bytesOf(ikm)).digest('hex');
    expect(prk).toBe(vector.prk);
  });

  test('are HKDF of the master key with one info each', () => {
    const master = Buffer.alloc(32, 7);
    const derive = (info: string, length: number): string =>
      Buffer.from(hkdfSync('sha256', master, '', info, length)).toString('hex');
    const keys = deriveKeys(master);
    expect(Buffer.from(keys.chunk).toString('hex')).toBe(derive('holdfast/v1/chunk', 32));
    expect(Buffer.from(keys.path).toString('hex')).toBe(derive('holdfast/v1/path', 64));
    expect(Buffer.from(keys.tree).toString('hex')).toBe(derive('holdfast/v1/tree', 32));
    expect(keys.id).toBe(derive('holdfast/v1/key-id', 16));
  });

  test('master keys have 32 bytes and are unique', () => {
    const made = Array.from({ length: 20 }, () => Buffer.from(newMasterKey()));
    expect(made.every((key) => key.length === 32)).toBe(true);
    expect(new Set(made.map((key) => key.toString('hex'))).size).toBe(20);
  });

  test.each([0, 16, 31, 33, 64])('a master key of %i bytes is rejected', (length) => {
    expect(() => deriveKeys(new Uint8Array(length))).toThrow(RangeError);
  });
});

describe('chunk keys', () => {
  test('are HKDF-Expand with the digest as info', () => {
    // Node has no HKDF-Expand alone, so the sub-key is the result of HKDF-Extract for `ikm` and `salt`.
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 80 }), bytes32, (ikm, salt, digest) => {
        const extracted = createHmac('sha256', salt).update(ikm).digest();
        const expected = Buffer.from(hkdfSync('sha256', ikm, salt, digest, 32));
        expect(new ChunkKeys(extracted).keyOf(digest).equals(expected)).toBe(true);
      }),
    );
  });

  test('do not depend on earlier calls, and leave earlier results alone', () => {
    const subKey = Buffer.alloc(32, 1);
    const chunkKeys = new ChunkKeys(subKey);
    fc.assert(
      fc.property(bytes32, bytes32, (first, second) => {
        const before = chunkKeys.keyOf(first);
        const kept = Buffer.from(before);
        chunkKeys.keyOf(second);
        expect(before.equals(kept)).toBe(true);
        expect(chunkKeys.keyOf(first).equals(new ChunkKeys(subKey).keyOf(first))).toBe(true);
      }),
    );
  });

  test('wrong lengths are rejected', () => {
    expect(() => new ChunkKeys(new Uint8Array(31))).toThrow(RangeError);
    expect(() => new ChunkKeys(new Uint8Array(32)).keyOf(new Uint8Array(31))).toThrow(RangeError);
  });

  test("the envelope's key is the constant of the format", () => {
    const expected = createHash('sha256').update('holdfast/v1/envelope').digest();
    expect(expected.equals(ENVELOPE_CHUNK_KEY)).toBe(true);
  });
});
