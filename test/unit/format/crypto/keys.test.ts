import { createHash, createHmac, hkdfSync } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealChunk } from '../../../../src/format/crypto/blob.ts';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { ChunkKeys, chunkKeysOf, ENVELOPE_CHUNK_KEY } from '../../../../src/format/crypto/chunk-keys.ts';
import { deriveKeys, newMasterKey } from '../../../../src/format/crypto/keys.ts';
import hkdf from '../../../fixtures/vectors/hkdf.json' with { type: 'json' };
import { epochKeys } from '../../../helpers/epoch-keys.ts';

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
    expect(Buffer.from(keys.chunk[0].key).toString('hex')).toBe(derive('holdfast/v1/chunk', 32));
    expect(Buffer.from(keys.path[0].key).toString('hex')).toBe(derive('holdfast/v1/path', 64));
    expect(Buffer.from(keys.tree[0].key).toString('hex')).toBe(derive('holdfast/v1/tree', 32));
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
        expect(expected.equals(new ChunkKeys(epochKeys(extracted)).keyOf(digest).key)).toBe(true);
      }),
    );
  });

  test('do not depend on earlier calls, and leave earlier results alone', () => {
    const subKey = Buffer.alloc(32, 1);
    const chunkKeys = new ChunkKeys(epochKeys(subKey));
    fc.assert(
      fc.property(bytes32, bytes32, (first, second) => {
        const before = chunkKeys.keyOf(first).key;
        const kept = Buffer.from(before);
        chunkKeys.keyOf(second);
        expect(kept.equals(before)).toBe(true);
        expect(kept.equals(new ChunkKeys(epochKeys(subKey)).keyOf(first).key)).toBe(true);
      }),
    );
  });

  test('wrong lengths are rejected', () => {
    expect(() => new ChunkKeys(epochKeys(new Uint8Array(31)))).toThrow(RangeError);
    expect(() => new ChunkKeys(epochKeys(new Uint8Array(32))).keyOf(new Uint8Array(31))).toThrow(RangeError);
  });

  test("the envelope's key is the constant of the format", () => {
    const expected = createHash('sha256').update('holdfast/v1/envelope').digest();
    expect(expected.equals(ENVELOPE_CHUNK_KEY)).toBe(true);
  });

  describe('of several epochs', () => {
    const first = { epoch: 1, key: Buffer.alloc(32, 1) };
    const second = { epoch: 2, key: Buffer.alloc(32, 2) };
    const plaintext = Buffer.from('What the chunk says.');
    const digest = createHash('sha256').update(plaintext).digest();
    const problemOf = (open: () => unknown): unknown => {
      try {
        return open();
      } catch (error) {
        return isHoldfastError(error, 'chunk_tampered') ? error.details.problem : error;
      }
    };

    test('seal in the current one, and open what was sealed in any', () => {
      const keys = new ChunkKeys([second, first]);
      const blob = sealChunk(keys.keyOf(digest), plaintext);
      expect(blob.readUInt16BE(1)).toBe(2);
      const before = sealChunk(new ChunkKeys([first]).keyOf(digest), plaintext);
      expect(before.readUInt16BE(1)).toBe(1);
      for (const one of [blob, before]) expect(keys.open(one, digest).equals(plaintext)).toBe(true);
    });

    test('do not open a blob of an epoch that is not known', () => {
      const blob = sealChunk(new ChunkKeys([second, first]).keyOf(digest), plaintext);
      expect(problemOf(() => new ChunkKeys([first]).open(blob, digest))).toBe('epoch');
      expect(problemOf(() => new ChunkKeys([first]).open(blob.subarray(0, 11), digest))).toBe('length');
    });

    test('take what is no blob for one that was changed, and not for one of a newer key', () => {
      const open = (bytes: Uint8Array) => problemOf(() => new ChunkKeys([second, first]).open(bytes, digest));
      expect(open(Buffer.from('{"key envelopes":"are stored as they are"}'))).toBe('tag');
      expect(open(Buffer.alloc(100))).toBe('tag');
      const blob = sealChunk(new ChunkKeys([second]).keyOf(digest), plaintext);
      for (const [epoch, problem] of [
        [3, 'epoch'],
        [66, 'epoch'],
        [67, 'tag'],
      ] as const) {
        blob.writeUInt16BE(epoch, 1);
        expect(open(blob)).toBe(problem);
      }
    });

    test('do not open a blob that states another epoch than its own', () => {
      const blob = sealChunk(new ChunkKeys([first]).keyOf(digest), plaintext);
      blob.writeUInt16BE(2, 1);
      expect(problemOf(() => new ChunkKeys([{ epoch: 2, key: first.key }, first]).open(blob, digest))).toBe('tag');
    });

    test('open blobs of two keys of one epoch', () => {
      const other = { epoch: 2, key: Buffer.alloc(32, 3) };
      const blob = sealChunk(new ChunkKeys([other]).keyOf(digest), plaintext);
      expect(new ChunkKeys([second, other, first]).open(blob, digest).equals(plaintext)).toBe(true);
    });

    test('are those of each call, although the last ones are kept', () => {
      const [one, both] = [chunkKeysOf([first]), chunkKeysOf([second, first])];
      expect([one.keyOf(digest).epoch, both.keyOf(digest).epoch]).toEqual([1, 2]);
      expect(chunkKeysOf([{ epoch: 2, key: first.key }]).keyOf(digest).epoch).toBe(2);
      expect(chunkKeysOf([{ ...second }, { ...first }])).toBe(chunkKeysOf([second, first]));
    });
  });
});
