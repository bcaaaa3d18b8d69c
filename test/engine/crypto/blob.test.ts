import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openBlob, sealChunk } from '../../../src/engine/crypto/blob.ts';
import { ChunkKeys } from '../../../src/engine/crypto/chunk-keys.ts';
import { HoldfastError } from '../../../src/base/errors.ts';
import gcm from '../../fixtures/vectors/aes-gcm.json' with { type: 'json' };

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const KEY = Buffer.alloc(32, 9);
const PLAINTEXT = Buffer.from('What the chunk says.');
const DIGEST = sha256(PLAINTEXT);

function refusalOf(open: () => unknown): { code: string; problem: unknown; chunk: unknown } | 'opened' {
  try {
    open();
    return 'opened';
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { code: error.code, problem: error.details['problem'], chunk: error.details['chunk'] };
  }
}

const tampered = (problem: string): unknown => ({
  code: 'chunk_tampered',
  problem,
  chunk: `sha256:${DIGEST.toString('hex')}`,
});

describe('sealed blobs', () => {
  test.each(gcm.tests)('open the NIST vector $ciphertext', ({ key, iv, plaintext, ciphertext, tag }) => {
    const blob = bytesOf(iv + ciphertext + tag);
    expect(openBlob(bytesOf(key), blob, sha256(bytesOf(plaintext))).toString('hex')).toBe(plaintext);
  });

  test.each([1, 2, 15, 16, 65_535, 65_536, 65_537, 131_072, 1_000_003])(
    'of %i bytes open to their plaintext',
    (length) => {
      const plaintext = randomBytes(length);
      const blob = sealChunk(KEY, plaintext);
      expect(blob.length).toBe(length + 28);
      expect(openBlob(KEY, blob, sha256(plaintext)).equals(plaintext)).toBe(true);
      const decipher = createDecipheriv('aes-256-gcm', KEY, blob.subarray(0, 12)).setAuthTag(blob.subarray(-16));
      const outside = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
      expect(outside.equals(plaintext)).toBe(true);
    },
  );

  test('are written to the given memory, and not beyond their end', () => {
    const into = Buffer.alloc(PLAINTEXT.length + 28 + 5, 0xee);
    const blob = sealChunk(KEY, PLAINTEXT, into);
    expect(blob.buffer).toBe(into.buffer);
    expect(blob.length).toBe(PLAINTEXT.length + 28);
    expect(into.subarray(-5).every((byte) => byte === 0xee)).toBe(true);
    expect(openBlob(KEY, blob, DIGEST).equals(PLAINTEXT)).toBe(true);
    expect(() => sealChunk(KEY, PLAINTEXT, Buffer.alloc(PLAINTEXT.length + 27))).toThrow(RangeError);
    const room = Buffer.alloc(PLAINTEXT.length + 5, 0xee);
    const plaintext = openBlob(KEY, blob, DIGEST, room);
    expect(plaintext.buffer).toBe(room.buffer);
    expect(plaintext.equals(PLAINTEXT)).toBe(true);
    expect(room.subarray(-5).every((byte) => byte === 0xee)).toBe(true);
    expect(() => openBlob(KEY, blob, DIGEST, Buffer.alloc(PLAINTEXT.length - 1))).toThrow(RangeError);
  });

  test('never repeat an IV, over several fillings of the pool', () => {
    const ivs = Array.from({ length: 2500 }, () => sealChunk(KEY, PLAINTEXT).toString('hex', 0, 12));
    expect(new Set(ivs).size).toBe(2500);
  });

  test('own their memory even when small, so that they can move to another thread', () => {
    const { port1, port2 } = new MessageChannel();
    const blob = sealChunk(KEY, PLAINTEXT);
    const plaintext = openBlob(KEY, blob, DIGEST);
    port1.postMessage([blob, plaintext], [blob.buffer as ArrayBuffer, plaintext.buffer as ArrayBuffer]);
    const [moved] = (receiveMessageOnPort(port2) as { message: [Uint8Array, Uint8Array] }).message;
    expect(moved.length).toBe(PLAINTEXT.length + 28);
    expect(blob.length).toBe(0);
    port1.close();
    port2.close();
  });
});

describe('opening rejects', () => {
  const blob = sealChunk(KEY, PLAINTEXT);

  test('every single flipped bit', () => {
    for (let bit = 0; bit < blob.length * 8; bit += 1) {
      const altered = Buffer.from(blob);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(
        refusalOf(() => openBlob(KEY, altered, DIGEST)),
        `bit ${bit}`,
      ).toEqual(tampered('tag'));
    }
  });

  test('every truncation, at either end', () => {
    for (let length = 0; length < blob.length; length += 1) {
      const expected = tampered(length <= 28 ? 'length' : 'tag');
      expect(refusalOf(() => openBlob(KEY, blob.subarray(0, length), DIGEST))).toEqual(expected);
      expect(refusalOf(() => openBlob(KEY, blob.subarray(blob.length - length), DIGEST))).toEqual(expected);
    }
  });

  test.each([4, 8, 12, 13, 14, 15])('a correct tag truncated to %i bytes', (tagBytes) => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', KEY, iv, { authTagLength: tagBytes });
    const short = Buffer.concat([iv, cipher.update(PLAINTEXT), cipher.final(), cipher.getAuthTag()]);
    expect(refusalOf(() => openBlob(KEY, short, DIGEST))).toEqual(tampered('tag'));
  });

  test('anything appended', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (more) => {
        expect(refusalOf(() => openBlob(KEY, Buffer.concat([blob, more]), DIGEST))).toEqual(tampered('tag'));
      }),
    );
  });

  test('a blob served under another name, whose key does not fit', () => {
    const chunkKeys = new ChunkKeys(KEY);
    const other = Buffer.from('What another chunk says.');
    const swapped = sealChunk(chunkKeys.keyOf(sha256(other)), other);
    expect(refusalOf(() => openBlob(chunkKeys.keyOf(DIGEST), swapped, DIGEST))).toEqual(tampered('tag'));
  });

  test('another plaintext under the right key, as corrupt rather than tampered with', () => {
    const wrong = sealChunk(KEY, Buffer.from('What the chunk says?'));
    expect(refusalOf(() => openBlob(KEY, wrong, DIGEST))).toMatchObject({ code: 'chunk_corrupt', problem: 'digest' });
  });

  test('random bytes of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(refusalOf(() => openBlob(KEY, bytes, DIGEST))).toMatchObject({ code: 'chunk_tampered' });
      }),
    );
  });
});
