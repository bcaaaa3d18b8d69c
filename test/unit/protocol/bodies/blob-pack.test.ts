import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_PACKED_BLOBS, packIndex, readPackIndex } from '../../../../src/protocol/bodies/blob-pack.ts';

const entry = fc.record({
  digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  bytes: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  size: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

test('reads a written index at any memory position, whatever follows it', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 50 }), fc.uint8Array(), fc.uint8Array(), (entries, before, after) => {
      const index = packIndex(entries);
      const memory = Buffer.concat([before, index, after]);
      expect(readPackIndex(memory.subarray(before.length))).toEqual({
        entries: entries.map(({ digest, ...sizes }) => ({ digest: Buffer.from(digest), ...sizes })),
        length: index.length,
      });
    }),
  );
});

test('writes the documented bytes', () => {
  const pack = packIndex([{ digest: new Uint8Array(32).fill(0xab), bytes: 0x01020304, size: 0x05060708 }]);
  expect(Buffer.from(pack).toString('hex')).toBe(`00000001${'ab'.repeat(32)}0102030405060708`);
});

test('returns `undefined` for anything but an index', () => {
  const index = packIndex([{ digest: new Uint8Array(32), bytes: 1, size: 1 }]);
  for (let length = 0; length < index.length; length += 1)
    expect(readPackIndex(index.subarray(0, length))).toBe(undefined);
  const huge = new Uint8Array(100_000);
  new DataView(huge.buffer).setUint32(0, MOST_PACKED_BLOBS + 1);
  expect(readPackIndex(huge)).toBe(undefined);
});
