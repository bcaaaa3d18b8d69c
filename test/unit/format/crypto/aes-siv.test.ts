import { aessiv } from '@noble/ciphers/aes.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AesSiv } from '../../../../src/format/crypto/aes-siv.ts';
import vectors from '../../../fixtures/vectors/aes-siv.json' with { type: 'json' };

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('AES-SIV', () => {
  test.each(vectors.tests.filter((vector) => vector.result === 'valid'))(
    'seals test vector $tcId: $comment',
    (vector) => {
      const siv = new AesSiv(bytesOf(vector.key));
      const state = siv.associate(bytesOf(vector.aad));
      expect(siv.seal(state, bytesOf(vector.msg)).toString('hex')).toBe(vector.ct);
      expect(siv.open(state, bytesOf(vector.ct))?.toString('hex')).toBe(vector.msg);
    },
  );

  test.each(vectors.tests.filter((vector) => vector.result === 'invalid'))(
    'rejects test vector $tcId: $comment',
    (vector) => {
      const siv = new AesSiv(bytesOf(vector.key));
      expect(siv.open(siv.associate(bytesOf(vector.aad)), bytesOf(vector.ct))).toBeUndefined();
    },
  );

  test('agrees with @noble/ciphers', () => {
    const key = fc.uint8Array({ minLength: 64, maxLength: 64 });
    const text = fc.uint8Array({ maxLength: 100, size: 'max' });
    fc.assert(
      fc.property(key, text, text, (keyBytes, data, plaintext) => {
        const siv = new AesSiv(keyBytes);
        const state = siv.associate(data);
        const sealed = siv.seal(state, plaintext);
        expect(sealed.equals(aessiv(keyBytes, data).encrypt(plaintext))).toBe(true);
        expect(siv.open(state, sealed)?.equals(plaintext)).toBe(true);
      }),
    );
  });

  test('rejects every flipped bit, every truncation and other associated data', () => {
    const siv = new AesSiv(Buffer.alloc(64, 3));
    const state = siv.associate(Buffer.from('/parent'));
    const sealed = siv.seal(state, Buffer.from('a name of 22 bytes ...'));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(siv.open(state, altered)).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(siv.open(state, sealed.subarray(0, length))).toBeUndefined();
    }
    expect(siv.open(siv.associate(Buffer.from('/parenT')), sealed)).toBeUndefined();
  });

  test('accepts keys of 64 bytes only', () => {
    expect(() => new AesSiv(new Uint8Array(32))).toThrow(RangeError);
  });
});
