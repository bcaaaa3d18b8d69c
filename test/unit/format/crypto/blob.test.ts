import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openBlob, plaintextSizeOf, sealChunk } from '../../../../src/format/crypto/blob.ts';
import { ChunkKeys } from '../../../../src/format/crypto/chunk-keys.ts';
import { MAX_CHUNK } from '../../../../src/archive/chunk/cut/fastcdc.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import gcm from '../../../fixtures/vectors/aes-gcm.json' with { type: 'json' };
import vectors from '../../../fixtures/vectors/blob.json' with { type: 'json' };
import { epochKeys } from '../../../helpers/epoch-keys.ts';

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
  test.each(vectors.tests)('of other programs open ($name)', ({ key, blob, plaintext }) => {
    const digest = sha256(bytesOf(plaintext));
    expect(openBlob(bytesOf(key), bytesOf(blob), digest).toString('hex')).toBe(plaintext);
    const size = plaintext.length / 2;
    expect(openBlob(bytesOf(key), bytesOf(blob), digest, { size }).toString('hex')).toBe(plaintext);
  });

  // None of their IVs begins with a byte that stands for a packing.
  test.each(gcm.tests)('are verified as in the NIST vector $ciphertext', ({ key, iv, plaintext, ciphertext, tag }) => {
    const problemOf = (hex: string, digest = sha256(bytesOf(plaintext))): unknown =>
      (refusalOf(() => openBlob(bytesOf(key), bytesOf(hex), digest)) as { problem: unknown }).problem;
    expect(openBlob(bytesOf(key), bytesOf(iv + ciphertext + tag), sha256(bytesOf(plaintext))).toString('hex')).toBe(
      plaintext,
    );
    expect(problemOf(iv + ciphertext + tag, sha256(Buffer.from('another')))).toBe('packing');
    expect(problemOf(iv + ciphertext + tag.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe('tag');
  });

  test.each([0, 1, 2, 255])('of another program open, though the IV begins with %i', (first) => {
    const texts = [PLAINTEXT, zstdCompressSync(PLAINTEXT), Buffer.from([0])];
    for (const plaintext of texts) {
      const iv = Buffer.concat([Buffer.from([first]), randomBytes(11)]);
      const cipher = createCipheriv('aes-256-gcm', KEY, iv);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      const blob = Buffer.concat([iv, ciphertext, cipher.getAuthTag()]);
      for (const into of [undefined, Buffer.alloc(plaintext.length)]) {
        const options = { size: plaintext.length, ...(into && { into }) };
        expect(openBlob(KEY, blob, sha256(plaintext), options).equals(plaintext)).toBe(true);
      }
    }
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
    const plaintext = openBlob(KEY, blob, DIGEST, { into: room });
    expect(plaintext.buffer).toBe(room.buffer);
    expect(plaintext.equals(PLAINTEXT)).toBe(true);
    expect(room.subarray(-5).every((byte) => byte === 0xee)).toBe(true);
    expect(() => openBlob(KEY, blob, DIGEST, { into: Buffer.alloc(PLAINTEXT.length - 1) })).toThrow(RangeError);
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
    const chunkKeys = new ChunkKeys(epochKeys(KEY));
    const other = Buffer.from('What another chunk says.');
    const swapped = sealChunk(chunkKeys.keyOf(sha256(other)), other);
    expect(refusalOf(() => chunkKeys.open(swapped, DIGEST))).toEqual(tampered('tag'));
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

describe('packed blobs', () => {
  const TEXT = Buffer.from('What the chunk says. '.repeat(500));
  const frameOf = (bytes: Uint8Array, params: Record<number, number> = {}): Buffer =>
    zstdCompressSync(bytes, { params });
  const packed = (frame: Uint8Array): Buffer => sealChunk(KEY, TEXT, undefined, frame);
  const corrupt = (frame: Uint8Array, size?: number): unknown =>
    refusalOf(() => openBlob(KEY, packed(frame), sha256(TEXT), { size }));
  const refused = { code: 'chunk_corrupt', problem: 'packing' };

  test.each([1, 2, 255, 256, 257, 65_535, 65_536, 65_792, 131_073, 1_000_003, 4 * 2 ** 20])(
    'of %i bytes open to their plaintext, at every level',
    (length) => {
      const plaintext = Buffer.alloc(length, 'What the chunk says, again and again. ');
      randomBytes(length >> 2).copy(plaintext, length >> 1);
      for (const level of length > 1_000_000 ? [1, 3] : [-5, 1, 3, 12, 19]) {
        const frame = frameOf(plaintext, { [constants.ZSTD_c_compressionLevel]: level });
        const blob = sealChunk(KEY, plaintext, undefined, frame);
        expect([blob[0], blob.length]).toEqual([1, frame.length + 28]);
        const into = Buffer.alloc(frame.length);
        for (const options of [{}, { size: length }, { into }, { into, size: length }]) {
          expect(openBlob(KEY, blob, sha256(plaintext), options).equals(plaintext)).toBe(true);
        }
      }
    },
  );

  test('are told from others by the first byte alone, and their size only if they are as they are', () => {
    expect(plaintextSizeOf(packed(frameOf(TEXT)))).toBe(undefined);
    expect(plaintextSizeOf(sealChunk(KEY, TEXT))).toBe(TEXT.length);
    expect(plaintextSizeOf(Buffer.alloc(5))).toBe(0);
  });

  test('own their plaintext', () => {
    const plaintext = openBlob(KEY, packed(frameOf(TEXT)), sha256(TEXT));
    expect(plaintext.buffer.byteLength).toBe(TEXT.length);
  });

  test('are refused if any bit of the packing byte is flipped, or an unknown packing was sealed', () => {
    const blob = packed(frameOf(TEXT));
    for (let bit = 0; bit < 8; bit += 1) {
      const altered = Buffer.from(blob);
      altered[0]! ^= 1 << bit;
      expect(refusalOf(() => openBlob(KEY, altered, sha256(TEXT)))).toMatchObject({
        code: 'chunk_tampered',
        problem: 'tag',
      });
    }
    for (const packing of [2, 3, 128, 255]) {
      const iv = Buffer.concat([Buffer.of(packing), randomBytes(11)]);
      const cipher = createCipheriv('aes-256-gcm', KEY, iv);
      const content = [cipher.update(frameOf(PLAINTEXT)), cipher.final()];
      const sealed = Buffer.concat([iv, ...content, cipher.getAuthTag()]);
      expect(refusalOf(() => openBlob(KEY, sealed, DIGEST))).toEqual(tampered('packing'));
    }
  });

  test('are refused if the frame is longer or shorter, is followed by anything, or is none', () => {
    const frame = frameOf(TEXT);
    expect(corrupt(frame)).toBe('opened');
    const skippable = Buffer.from('502a4d1800000000', 'hex');
    for (const wrong of [
      frame.subarray(0, -1),
      Buffer.concat([frame, Buffer.of(0)]),
      Buffer.concat([frame, frame]),
      Buffer.concat([frame, skippable]),
      Buffer.concat([skippable, frame]),
      Buffer.concat([frame, Buffer.from('a')]),
      TEXT.subarray(1),
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd),
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00),
    ]) {
      expect(corrupt(wrong)).toMatchObject(refused);
    }
    for (let length = 1; length < frame.length; length += 1) {
      expect(corrupt(frame.subarray(0, length))).toMatchObject(refused);
    }
  });

  test('are refused or open to the plaintext, whatever bytes of the frame were altered before it was sealed', () => {
    const frame = frameOf(TEXT, { [constants.ZSTD_c_checksumFlag]: 0 });
    fc.assert(
      fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const altered = Buffer.from(frame);
        altered[index]! ^= change;
        const outcome = corrupt(altered);
        if (outcome !== 'opened') expect(outcome).toMatchObject({ code: 'chunk_corrupt' });
      }),
      { numRuns: 500 },
    );
  });

  test('expand to the chunk size at most: 4 MiB, or what is known', () => {
    const largest = Buffer.alloc(MAX_CHUNK);
    const open = (bytes: Buffer, size?: number): unknown =>
      refusalOf(() => openBlob(KEY, sealChunk(KEY, bytes, undefined, frameOf(bytes)), sha256(bytes), { size }));
    expect(open(largest)).toBe('opened');
    expect(open(Buffer.alloc(largest.length + 1))).toMatchObject(refused);
    expect(open(largest, largest.length - 1)).toMatchObject(refused);
    expect(open(TEXT, TEXT.length)).toBe('opened');
    expect(open(TEXT, TEXT.length - 1)).toMatchObject(refused);
    expect(open(Buffer.alloc(largest.length + 1), largest.length * 2)).toMatchObject(refused);
  });

  test.each([
    ['its size', '00'.repeat(4) + '04' + '00'.repeat(3), 0xc0],
    ['a smaller size', '0100000000000000', 0xc0],
    ['no size', '', 0],
  ])('need bounded memory, however far the frame expands (with %s in it)', (_, size, descriptor) => {
    // 131,072 blocks of 128 KiB, each of one byte that repeats: 16 GiB. The window has 128 MiB.
    const block = (last: number): Buffer => Buffer.of(0x02 | last, 0x00, 0x10, 0x61);
    const header = Buffer.concat([bytesOf('28b52ffd'), Buffer.of(descriptor, 17 << 3), bytesOf(size)]);
    const blocks = Array.from({ length: 131_071 }, () => block(0));
    const blob = packed(Buffer.concat([header, ...blocks, block(1)]));
    const before = process.resourceUsage().maxRSS;
    for (let round = 0; round < 20; round += 1) {
      expect(refusalOf(() => openBlob(KEY, blob, sha256(TEXT)))).toMatchObject(refused);
    }
    expect((process.resourceUsage().maxRSS - before) * 1024).toBeLessThan(64 * 2 ** 20);
  });
});
