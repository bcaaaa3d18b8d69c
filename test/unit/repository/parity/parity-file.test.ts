import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeHeader, encodeParity, mendPack, parseHeader } from '../../../../src/repository/parity/parity-file.ts';
import { HEADER_BYTES, LARGEST_PARITY_BYTES, parityLayout } from '../../../../src/repository/parity/parity-layout.ts';

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const PACK = randomBytes(3_000_000);
const NAME = hashOf(PACK);
const PARITY = encodeParity(PACK, 10);
const LAYOUT = parityLayout(PACK.length, 10);

function isMended(copy: Uint8Array | undefined, parity: Uint8Array = PARITY): boolean {
  const mended = mendPack({ pack: NAME, copies: copy ? [copy] : [], parity });
  if (mended) expect(mended.equals(PACK)).toBe(true);
  return mended !== undefined;
}

function damaged(bytes: Uint8Array, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

describe('the layout', () => {
  test.each([1, 511, 512, 1024 * 1024 - 1, 1024 * 1024, 16 * 1024 * 1024 + 99, 128 * 1024 * 1024])(
    'of a pack of %i bytes has room for each block, and for no more blocks in a set than the field has',
    (bytes) => {
      for (let percent = 1; percent <= 100; percent += 1) {
        const { blocks, blockBytes, sets, data, parity, fileBytes } = parityLayout(bytes, percent);
        expect(sets * data).toBeGreaterThanOrEqual(blocks);
        expect(blocks * blockBytes).toBeGreaterThanOrEqual(bytes);
        expect(data + parity).toBeLessThanOrEqual(256);
        expect(parity * 100).toBeGreaterThanOrEqual(data * percent);
        expect(fileBytes).toBeLessThanOrEqual(LARGEST_PARITY_BYTES);
      }
    },
  );

  test.each([
    [0, 10],
    [128 * 1024 * 1024 + 1, 10],
    [1000, 0],
    [1000, 101],
  ])('of %i bytes and %i percent is refused', (bytes, percent) => {
    expect(() => parityLayout(bytes, percent)).toThrow(RangeError);
  });
});

describe('parity of 10 %', () => {
  test('is the same for the same pack, and has about that share', () => {
    expect(encodeParity(PACK, 10).equals(PARITY)).toBe(true);
    expect(PARITY.length / PACK.length).toBeLessThan(0.12);
  });

  test('mends bits that are spread over the pack', () => {
    for (let round = 0; round < 5; round += 1) {
      const copy = damaged(PACK, (bytes) => {
        for (let at = round; at < bytes.length; at += 50_000) bytes[at]! ^= 1 << (at % 8);
      });
      expect(isMended(copy)).toBe(true);
    }
  });

  test('mends as many neighbouring sectors as there is parity, wherever they are', () => {
    const most = LAYOUT.parity * LAYOUT.sets * LAYOUT.blockBytes;
    for (const at of [0, LAYOUT.blockBytes * 17, PACK.length - most]) {
      expect(isMended(damaged(PACK, (bytes) => bytes.fill(0, at, at + most - LAYOUT.blockBytes)))).toBe(true);
    }
    expect(isMended(damaged(PACK, (bytes) => bytes.fill(0, 0, most + LAYOUT.blockBytes)))).toBe(false);
  });

  test('mends a pack that lost its tail, and one that has more bytes', () => {
    expect(isMended(PACK.subarray(0, 2_800_000))).toBe(true);
    expect(isMended(PACK.subarray(0, 2_000_000))).toBe(false);
    expect(isMended(Buffer.concat([PACK, randomBytes(10_000)]))).toBe(true);
  });

  test('does not mend a lost pack', () => {
    expect(isMended(undefined)).toBe(false);
  });

  test('puts a pack together from two damaged copies', () => {
    const middle = PACK.length / 2;
    const first = damaged(PACK, (bytes) => bytes.fill(0, 0, middle));
    const second = damaged(PACK, (bytes) => bytes.fill(0, middle));
    expect(mendPack({ pack: NAME, copies: [first, second], parity: PARITY })?.equals(PACK)).toBe(true);
  });
});

describe('damage of the parity file itself', () => {
  const broken = damaged(PACK, (bytes) => bytes.fill(0, 100_000, 130_000));

  test.each([
    ['its first header', (file: Buffer) => file.fill(0, 0, HEADER_BYTES)],
    ['its last header', (file: Buffer) => file.fill(0, PARITY.length - HEADER_BYTES)],
    ['the first hashes', (file: Buffer) => file.fill(0, HEADER_BYTES, LAYOUT.parityOffset)],
    ['the second hashes', (file: Buffer) => file.fill(0, LAYOUT.secondHashesOffset, PARITY.length - HEADER_BYTES)],
    ['a parity block', (file: Buffer) => file.fill(0, LAYOUT.parityOffset, LAYOUT.parityOffset + 5_000)],
  ])('costs nothing if it is %s', (_name, change) => {
    expect(isMended(broken, damaged(PARITY, change))).toBe(true);
  });

  test('costs only the blocks of the hashes that are damaged twice', () => {
    const both = damaged(PARITY, (file) => {
      for (const offset of [HEADER_BYTES, LAYOUT.secondHashesOffset]) file.fill(0, offset, offset + 64);
    });
    expect(isMended(PACK, both)).toBe(true);
  });

  test('leaves what is before the end of a file that was cut off', () => {
    expect(isMended(broken, PARITY.subarray(0, LAYOUT.secondHashesOffset))).toBe(true);
    expect(isMended(broken, PARITY.subarray(0, LAYOUT.parityOffset))).toBe(false);
  });

  test('makes nothing of both headers', () => {
    const headless = damaged(PARITY, (file) => {
      file.fill(0, 0, HEADER_BYTES);
      file.fill(0, PARITY.length - HEADER_BYTES);
    });
    expect(isMended(broken, headless)).toBe(false);
  });
});

describe('a parity file of somebody else', () => {
  test.each([
    ['of another pack', encodeParity(randomBytes(PACK.length), 10)],
    [
      'of another pack under this name',
      damaged(encodeParity(randomBytes(PACK.length), 10), (file) => {
        const header = encodeHeader({ pack: NAME, packBytes: PACK.length, percent: 10 });
        file.set(header);
        file.set(header, file.length - HEADER_BYTES);
      }),
    ],
    ['without bytes', new Uint8Array()],
    ['of a header', PARITY.subarray(0, HEADER_BYTES)],
  ])('is refused: one %s', (_name, file) => {
    expect(
      isMended(
        damaged(PACK, (bytes) => bytes.fill(0, 0, 5000)),
        file,
      ),
    ).toBe(false);
  });

  test('is refused that proves altered bytes', () => {
    const altered = damaged(PACK, (bytes) => (bytes[5_000]! ^= 1));
    const forged = damaged(encodeParity(altered, 10), (file) => {
      const header = encodeHeader({ pack: NAME, packBytes: PACK.length, percent: 10 });
      file.set(header);
      file.set(header, file.length - HEADER_BYTES);
    });
    expect(mendPack({ pack: NAME, copies: [altered], parity: forged })).toBeUndefined();
  });

  test.each([
    ['a pack without bytes', { packBytes: 0, percent: 10 }],
    ['a pack of 4 GB', { packBytes: 0xffff_ffff, percent: 10 }],
    ['no parity', { packBytes: 1000, percent: 0 }],
    ['more parity than there can be', { packBytes: 1000, percent: 4_000_000_000 }],
  ])('is refused whose header states %s', (_name, stated) => {
    expect(parseHeader(encodeHeader({ pack: NAME, ...stated }))).toBeUndefined();
  });

  test('is refused with a header of which one bit is another', () => {
    const header = encodeHeader({ pack: NAME, packBytes: 1000, percent: 10 });
    expect(parseHeader(header)).toMatchObject({ pack: NAME, packBytes: 1000, percent: 10 });
    for (let bit = 0; bit < 8 * HEADER_BYTES; bit += 1) {
      expect(parseHeader(damaged(header, (bytes) => (bytes[bit >> 3]! ^= 1 << (bit & 7))))).toBeUndefined();
    }
  });
});

test('whatever is damaged: the result is the pack or nothing, and it is the pack within the budget', () => {
  const area = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 1, max: 3_000 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(area, { maxLength: 12 }),
      fc.array(area, { maxLength: 4 }),
      (size, percent, ofPack, ofParity) => {
        const pack = randomBytes(size);
        const zero = (areas: typeof ofPack) => (bytes: Buffer) => {
          for (const { at, length } of areas) {
            const start = Math.floor(at * bytes.length);
            bytes.fill(0, start, Math.min(bytes.length, start + length));
          }
        };
        const copy = damaged(pack, zero(ofPack));
        const parity = encodeParity(pack, percent);
        const mended = mendPack({ pack: hashOf(pack), copies: [copy], parity: damaged(parity, zero(ofParity)) });
        if (mended) expect(mended.equals(pack)).toBe(true);
        const { blockBytes, blocks, sets, parity: budget } = parityLayout(size, percent);
        const lost = Array.from({ length: sets }, () => 0);
        for (let block = 0; block < blocks; block += 1) {
          const [from, to] = [block * blockBytes, (block + 1) * blockBytes];
          if (!copy.subarray(from, to).equals(pack.subarray(from, to))) lost[block % sets]! += 1;
        }
        if (ofParity.length === 0) expect(mended !== undefined).toBe(Math.max(...lost) <= budget);
      },
    ),
    { numRuns: 300 },
  );
});

test('parity of 100 % replaces a lost pack', () => {
  for (const size of [1, 511, 5_000, 200_000, 2_000_000]) {
    const pack = randomBytes(size);
    expect(mendPack({ pack: hashOf(pack), copies: [], parity: encodeParity(pack, 100) })?.equals(pack)).toBe(true);
  }
});

test('the file has the bytes that the documentation says', () => {
  const pack = Buffer.from('a pack of a few bytes');
  const file = encodeParity(pack, 10);
  const block = Buffer.alloc(512);
  block.set(pack);
  const times = (factor: number): Buffer => Buffer.from(block.map((byte) => product(factor, byte)));
  // One block and two parity blocks, whose factors are the inverses of 255 and 254.
  const parities = [times(0xfd), times(0x7e)];
  const header = Buffer.alloc(64);
  header.write('HFPARITY');
  header.write(hashOf(pack), 8, 'hex');
  header.writeUInt32BE(pack.length, 40);
  header.writeUInt32BE(10, 44);
  header.write(hashOf(header.subarray(0, 48)).slice(0, 32), 48, 'hex');
  const hashes = Buffer.concat([block, ...parities].map((bytes) => Buffer.from(hashOf(bytes).slice(0, 16), 'hex')));
  expect(file.equals(Buffer.concat([header, hashes, ...parities, hashes, header]))).toBe(true);

  function product(a: number, b: number): number {
    let sum = 0;
    for (let bit = 0; bit < 8; bit += 1) if ((b >> bit) & 1) sum ^= a << bit;
    for (let bit = 15; bit >= 8; bit -= 1) if ((sum >> bit) & 1) sum ^= 0x11d << (bit - 8);
    return sum;
  }
});
