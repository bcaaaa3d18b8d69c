import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DamagedFileError, type DamageProblem } from '../../../../src/format/repository/damage.ts';
import {
  decodeTable,
  encodePackEnd,
  encodeTable,
  LARGEST_PACK_BYTES,
  openPackTable,
  packBytes,
  PACK_TRAILER_BYTES,
  sealedTableBytes,
  TABLE_RECORD_BYTES,
  type PackedBlob,
} from '../../../../src/format/repository/pack-file.ts';
import { openBytes, sealBytes, sealContext } from '../../../../src/format/repository/sealed-bytes.ts';
import { Random } from '../../../helpers/random.ts';
import { mutated } from './mutated.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

const keys = epochKeys(randomBytes(32));
const repository = randomBytes(16).toString('hex');
const place = { keys, repository, file: 'packs/aa' };
const blob = (length: number, size = length): PackedBlob => ({ digest: randomBytes(32), length, size, kind: 'data' });

/** Reads a pack as `check` does: trailer, then table. */
function readPack(bytes: Buffer, at = place) {
  const trailer = bytes.subarray(Math.max(0, bytes.length - PACK_TRAILER_BYTES));
  const length = sealedTableBytes(at.file, trailer, bytes.length);
  const end = bytes.length - PACK_TRAILER_BYTES;
  return openPackTable(at, bytes.subarray(end - length, end), bytes.length);
}

function problemOf(bytes: Buffer, at = place): DamageProblem {
  try {
    readPack(bytes, at);
  } catch (error) {
    if (error instanceof DamagedFileError) return error.problem;
    throw error;
  }
  throw new Error('accepted');
}

function packOf(blobs: readonly PackedBlob[], table = encodeTable(blobs)): Buffer {
  const bytes = blobs.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([randomBytes(bytes), encodePackEnd(keys, repository, table)]);
}

const BLOBS: readonly PackedBlob[] = [
  { digest: randomBytes(32), length: 40, size: 12, kind: 'data' },
  { digest: randomBytes(32), length: 30, size: 4_194_304, kind: 'tree' },
  { digest: randomBytes(32), length: 31, size: 3, kind: 'envelope' },
];

describe('a pack', () => {
  test('returns its blobs with their positions', () => {
    const pack = packOf(BLOBS);
    expect(pack.length).toBe(packBytes(101, 3));
    expect(readPack(pack).blobs).toEqual(
      BLOBS.map((one, index) => ({ ...one, offset: [0, 40, 70][index], digest: Buffer.from(one.digest) })),
    );
  });

  test('is refused with any bit of its table or trailer flipped', () => {
    const pack = packOf(BLOBS);
    for (let bit = 101 * 8; bit < pack.length * 8; bit += 1) {
      const flipped = Buffer.from(pack);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(['sealed', 'content']).toContain(problemOf(flipped));
    }
  });

  test('is refused when it is cut or longer', () => {
    const pack = packOf(BLOBS);
    for (let length = 0; length < pack.length; length += 1) problemOf(pack.subarray(0, length));
    for (let start = 1; start <= pack.length; start += 1) problemOf(pack.subarray(start));
    expect(problemOf(Buffer.concat([Buffer.alloc(1), pack]))).toBe('content');
  });

  test('is refused with the table of another repository, key or purpose', () => {
    const pack = packOf(BLOBS);
    expect(problemOf(pack, { ...place, repository: '0'.repeat(32) })).toBe('sealed');
    expect(problemOf(pack, { ...place, keys: epochKeys(randomBytes(32)) })).toBe('sealed');
    const segment = sealBytes(keys, encodeTable(BLOBS), sealContext('segment', repository));
    const end = pack.length - PACK_TRAILER_BYTES;
    const foreign = Buffer.concat([pack.subarray(0, end - segment.length), segment, pack.subarray(end)]);
    expect(problemOf(foreign)).toBe('sealed');
  });

  test('is refused when its table accounts for other bytes', () => {
    expect(problemOf(packOf(BLOBS, encodeTable(BLOBS.slice(1))))).toBe('content');
    expect(problemOf(packOf(BLOBS, Buffer.alloc(0)))).toBe('content');
    expect(problemOf(packOf(BLOBS, encodeTable(BLOBS).subarray(1)))).toBe('content');
    expect(problemOf(packOf(BLOBS, encodeTable([...BLOBS, blob(1)])))).toBe('content');
  });

  test('is refused for every mutation', () => {
    const random = new Random(2);
    const pack = packOf(BLOBS);
    const tail = pack.subarray(101);
    for (let round = 0; round < 2_000; round += 1) {
      const altered = mutated(tail, random);
      if (!altered.equals(tail)) problemOf(Buffer.concat([pack.subarray(0, 101), altered]));
    }
  });
});

describe('a table', () => {
  test('of no blobs, empty blobs or more bytes than a pack may have is malformed', () => {
    expect(decodeTable(Buffer.alloc(0))).toBeUndefined();
    expect(decodeTable(encodeTable([blob(0, 1)]))).toBeUndefined();
    expect(decodeTable(encodeTable([blob(1, 0)]))).toBeUndefined();
    expect(decodeTable(encodeTable([blob(LARGEST_PACK_BYTES)]))).toHaveLength(1);
    expect(decodeTable(encodeTable([blob(LARGEST_PACK_BYTES), blob(1)]))).toBeUndefined();
    expect(decodeTable(encodeTable(Array.from({ length: 40 }, () => blob(0xff_ff_ff_ff))))).toBeUndefined();
  });

  test('counts kinds of newer programs as data', () => {
    const table = encodeTable([blob(5)]);
    table[TABLE_RECORD_BYTES - 1] = 200;
    expect(decodeTable(table)?.[0]?.kind).toBe('data');
  });

  test('is decoded or refused for any bytes', () => {
    const random = new Random(3);
    for (let round = 0; round < 2_000; round += 1) {
      const blobs = decodeTable(random.bytes(random.below(6) * TABLE_RECORD_BYTES));
      let offset = 0;
      for (const one of blobs ?? []) {
        expect(one.offset).toBe(offset);
        offset += one.length;
      }
      expect(offset).toBeLessThanOrEqual(LARGEST_PACK_BYTES);
    }
  });
});

describe('sealed bytes', () => {
  test('open only with their key, their context and every bit', () => {
    const context = sealContext('checkpoint', repository, 'checkpoints/x/1');
    const sealed = sealBytes(keys, Buffer.from('plaintext'), context);
    expect(openBytes(keys, sealed, context)?.toString()).toBe('plaintext');
    expect(openBytes(epochKeys(randomBytes(32)), sealed, context)).toBeUndefined();
    expect(openBytes(keys, sealed, sealContext('checkpoint', repository, 'checkpoints/x/2'))).toBeUndefined();
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(openBytes(keys, flipped, context)).toBeUndefined();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(openBytes(keys, sealed.subarray(0, length), context)).toBeUndefined();
    }
  });

  test('differ each time', () => {
    const seals = Array.from({ length: 100 }, () =>
      sealBytes(keys, Buffer.from('same'), Buffer.alloc(0)).toString('hex'),
    );
    expect(new Set(seals.map((text) => text.slice(0, 24))).size).toBe(100);
  });
});
