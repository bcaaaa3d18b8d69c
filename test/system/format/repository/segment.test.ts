import { randomBytes, sign } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { encode, rfc8949EncodeOptions } from 'cborg';
import { describe, expect, test } from 'vitest';
import { DamagedFileError, type DamageProblem } from '../../../../src/format/repository/damage.ts';
import type { Fact } from '../../../../src/format/repository/facts.ts';
import {
  hashOf,
  ledgerFileName,
  ledgerPlaceName,
  parseLedgerName,
  type LedgerFile,
} from '../../../../src/format/repository/file-names.ts';
import { sealBytes, sealContext } from '../../../../src/format/repository/sealed-bytes.ts';
import { decodeSegment, encodeSegment, type Segment } from '../../../../src/format/repository/segment.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { Random } from '../../../helpers/random.ts';
import { mutated } from '../../../unit/format/repository/mutated.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

const seal = { keys: epochKeys(randomBytes(32)), repository: randomBytes(16).toString('hex') };
const writerKey = newWriterKey();
const writer = writerKey.id;
const device = randomBytes(16).toString('hex');
const id = randomBytes(16);
const hash = randomBytes(32);

const EVERY_KIND: readonly Fact[] = [
  { kind: 'device', device, time: 5, name: 'Büro', os: 'Linux', agent: '1' },
  { kind: 'pack', pack: hash, bytes: 100, table: randomBytes(41) },
  {
    kind: 'point',
    id,
    device,
    set: 's',
    time: -1,
    tree: hash,
    envelope: null,
    files: 1,
    bytes: 2 ** 52,
    stored: 0,
  },
  { kind: 'removed', points: [id] },
  { kind: 'pin', point: id, time: 7 },
  { kind: 'unpin', point: id, time: 8 },
  { kind: 'policy', device, set: 's', policy: null, time: 9 },
  { kind: 'minimum', device: null, set: null, days: 30 },
  { kind: 'alarm', id, device, set: 's', time: 1, reasons: ['encrypted'] },
  { kind: 'release', alarms: [id], time: 2 },
  { kind: 'condemned', packs: [hash], time: 3 },
  { kind: 'deleted', packs: [hash] },
  { kind: 'retired', device },
];

const SECOND: Segment = {
  writer,
  number: 2,
  previous: randomBytes(32).toString('hex'),
  time: Date.parse('2026-11-22T12:00:00Z'),
  heads: new Map([[newWriterKey().id, { number: 3, hash: randomBytes(32).toString('hex') }]]),
  facts: EVERY_KIND,
};

function nameOf(bytes: Uint8Array, place: Partial<LedgerFile> = {}): LedgerFile {
  const { folder = 'ledger', ...rest } = { writer, number: 2, ...place };
  return parseLedgerName(ledgerFileName(folder, rest, hashOf(bytes)))!;
}

/** Returns the problem with which a file is refused; fails if it is accepted or fails in another way. */
function problemOf(file: LedgerFile, bytes: Uint8Array, by = seal): DamageProblem {
  try {
    decodeSegment(file, bytes, by);
  } catch (error) {
    if (error instanceof DamagedFileError) return error.problem;
    throw error;
  }
  throw new Error('accepted');
}

/** Signs and seals anything in the place of a segment's frame. */
function forged(frame: Uint8Array, key = writerKey, publicKey = key.publicKey): Buffer {
  const context = sealContext('segment', seal.repository, ledgerPlaceName('ledger', { writer, number: 2 }));
  const signature = sign(null, Buffer.concat([context, frame]), key.privateKey);
  return sealBytes(seal.keys, Buffer.concat([publicKey, signature, frame]), context);
}

const body = (changes: object = {}) => ({
  version: 1,
  number: 2,
  previous: Buffer.alloc(32),
  time: 1,
  heads: {},
  facts: [],
  ...changes,
});
const cbor = (value: unknown) => zstdCompressSync(encode(value, rfc8949EncodeOptions));
const problemOfBody = (value: unknown) => {
  const bytes = forged(cbor(value));
  return problemOf(nameOf(bytes), bytes);
};

describe('segments and checkpoints', () => {
  test.each(['ledger', 'checkpoints'] as const)('return what was encoded in %s', (folder) => {
    const { bytes, name } = encodeSegment(folder, SECOND, seal, writerKey);
    const decoded = decodeSegment(parseLedgerName(name)!, bytes, seal);
    expect({ ...decoded, facts: [] }).toEqual({ ...SECOND, facts: [], epoch: 1 });
    expect(encode(decoded.facts, rfc8949EncodeOptions)).toEqual(encode(EVERY_KIND, rfc8949EncodeOptions));
  });

  describe('of another epoch', () => {
    const [current] = seal.keys;
    const next = { epoch: 2, key: randomBytes(32) };
    const later = { ...seal, keys: [next, current] as const };

    test('are read with the keys of all epochs, and say which one sealed them', () => {
      for (const [sealing, epoch] of [
        [seal, 1],
        [later, 2],
      ] as const) {
        const { bytes, name } = encodeSegment('ledger', SECOND, sealing, writerKey);
        expect(decodeSegment(parseLedgerName(name)!, bytes, later).epoch).toBe(epoch);
        expect(bytes.readUInt16BE(0)).toBe(epoch);
      }
    });

    test('are refused without its key, and named apart if it is later', () => {
      const { bytes, name } = encodeSegment('ledger', SECOND, later, writerKey);
      expect(problemOf(parseLedgerName(name)!, bytes)).toBe('later-key');
      const before = encodeSegment('ledger', SECOND, seal, writerKey);
      expect(problemOf(parseLedgerName(before.name)!, before.bytes, { ...seal, keys: [next] })).toBe('sealed');
    });

    test('are refused when they state another epoch than their own', () => {
      const { bytes } = encodeSegment('ledger', SECOND, seal, writerKey);
      bytes.writeUInt16BE(2);
      const both = { ...seal, keys: [{ epoch: 2, key: current.key }, current] as const };
      expect(problemOf(nameOf(bytes), bytes, both)).toBe('sealed');
    });

    test('are read although two computers began the epoch at the same time', () => {
      const other = { ...seal, keys: [{ epoch: 2, key: randomBytes(32) }] as const };
      const { bytes, name } = encodeSegment('ledger', SECOND, other, writerKey);
      const both = { ...seal, keys: [next, other.keys[0], current] as const };
      expect(decodeSegment(parseLedgerName(name)!, bytes, both).epoch).toBe(2);
    });
  });

  test('are refused with any bit flipped', () => {
    const { bytes, name } = encodeSegment('ledger', { ...SECOND, facts: [], heads: new Map() }, seal, writerKey);
    const file = parseLedgerName(name)!;
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expect(problemOf(file, flipped)).toBe('hash');
      expect(problemOf(nameOf(flipped), flipped)).toMatch(/^(sealed|later-key)$/);
    }
  });

  test('are refused at any length', () => {
    const { bytes } = encodeSegment('ledger', SECOND, seal, writerKey);
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      expect(problemOf(nameOf(cut), cut)).toBe('sealed');
    }
  });

  test('are refused in another place', () => {
    const { bytes } = encodeSegment('ledger', SECOND, seal, writerKey);
    expect(problemOf(nameOf(bytes, { writer: newWriterKey().id }), bytes)).toBe('sealed');
    expect(problemOf(nameOf(bytes, { number: 3 }), bytes)).toBe('sealed');
    expect(problemOf(nameOf(bytes, { folder: 'checkpoints' }), bytes)).toBe('sealed');
    expect(problemOf(nameOf(bytes), bytes, { ...seal, repository: '0'.repeat(32) })).toBe('sealed');
    expect(problemOf(nameOf(bytes), bytes, { ...seal, keys: epochKeys(randomBytes(32)) })).toBe('sealed');
  });

  test('are refused when another computer signed them, whatever key they state', () => {
    const other = newWriterKey();
    const frame = cbor(body());
    for (const bytes of [forged(frame, other), forged(frame, other, writerKey.publicKey)]) {
      expect(problemOf(nameOf(bytes), bytes)).toBe('signature');
    }
  });

  test.each([0, 31, 32, 95])('are refused when they have only %i bytes', (length) => {
    const context = sealContext('segment', seal.repository, ledgerPlaceName('ledger', { writer, number: 2 }));
    const bytes = sealBytes(seal.keys, Buffer.from(writerKey.publicKey).subarray(0, length), context);
    expect(problemOf(nameOf(bytes), bytes)).toBe('signature');
  });
});

describe('the content of a segment', () => {
  test('is refused when it is malformed', () => {
    const malformed: unknown[] = [
      null,
      [],
      'text',
      body({ number: 3 }),
      body({ number: 2.5 }),
      body({ previous: null }),
      body({ previous: Buffer.alloc(31) }),
      body({ time: 'now' }),
      body({ heads: { short: [1, Buffer.alloc(32)] } }),
      body({ heads: { [writer]: [0, Buffer.alloc(32)] } }),
      body({ heads: { [writer]: [1, Buffer.alloc(31)] } }),
      body({ facts: {} }),
      body({ facts: [{ kind: 'pin', point: Buffer.alloc(15), time: 1 }] }),
      body({ facts: [{ kind: 'pin', point: 'text', time: 1 }] }),
      body({ facts: [{ kind: 7 }] }),
      body({ facts: [null] }),
      body({ facts: [{ kind: 'removed', points: [1] }] }),
      body({ facts: [{ kind: 'minimum', device: null, set: null, days: 36_501 }] }),
      body({ facts: [{ kind: 'retired', device: 'x'.repeat(32) }] }),
      body({ facts: [{ kind: 'alarm', id, device, set: 'x'.repeat(4097), time: 1, reasons: [] }] }),
    ];
    expect(malformed.map(problemOfBody)).toEqual(malformed.map(() => 'content'));
  });

  test('is read without facts that this program does not know', () => {
    const bytes = forged(cbor(body({ facts: [{ kind: 'new', anything: [1] }, EVERY_KIND[3]] })));
    expect(decodeSegment(nameOf(bytes), bytes, seal).facts.map(({ kind }) => kind)).toEqual(['removed']);
  });

  test('of a newer version is told apart from damage', () => {
    expect(problemOfBody({ version: 2, anything: true })).toBe('newer-version');
  });

  test.each([
    ['a key that stands twice', 'a2 61 61 01 61 61 02'],
    ['an indefinite length', '9f 01 ff'],
    ['a count of 2^32 items', '9a ff ff ff ff'],
    ['a count of 2^63 items', '9b 7f ff ff ff ff ff ff ff'],
    ['a text of 2^32 bytes', '7a ff ff ff ff 61'],
    ['2^53 keys', 'bb 00 20 00 00 00 00 00 00'],
    ['a tag', 'c1 01'],
    ['undefined', 'f7'],
    ['a second item', '01 01'],
    ['nothing', ''],
    ['a map in a map, 100,000 deep', 'a1 61 61 '.repeat(100_000)],
  ])('is refused with %s', (_, hex) => {
    const bytes = forged(zstdCompressSync(Buffer.from(hex.replaceAll(' ', ''), 'hex')));
    expect(problemOf(nameOf(bytes), bytes)).toBe('content');
  });

  test('is not decompressed before it is proven', () => {
    // 4 GiB of zeros in 400 kB: 128 frames of 32 MiB.
    const frame = zstdCompressSync(Buffer.alloc(32 * 1024 * 1024), {
      params: { [constants.ZSTD_c_compressionLevel]: 1 },
    });
    const bomb = Buffer.concat(Array.from({ length: 128 }, () => frame));
    const foreign = forged(bomb, newWriterKey(), writerKey.publicKey);
    const before = process.memoryUsage().rss;
    expect(problemOf(nameOf(foreign), foreign)).toBe('signature');
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('is refused for every mutation, also of what is signed', () => {
    const random = new Random(1);
    const { bytes } = encodeSegment('ledger', SECOND, seal, writerKey);
    const plain = encode(body({ facts: EVERY_KIND }), rfc8949EncodeOptions);
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < 4_000; round += 1) {
      const file = mutated(bytes, random);
      if (!file.equals(bytes)) expect(problemOf(nameOf(file), file)).toMatch(/^(sealed|later-key)$/);
    }
    for (let round = 0; round < 2_000; round += 1) {
      const inside = forged(
        round % 2 === 0 ? zstdCompressSync(mutated(Buffer.from(plain), random)) : mutated(cbor(body()), random),
      );
      let outcome = 'accepted';
      try {
        decodeSegment(nameOf(inside), inside, seal);
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        outcome = error.problem;
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    // Altered times, names and hashes are content like any other; nothing else than damage is ever thrown.
    expect(Object.keys(outcomes).toSorted()).toEqual(['accepted', 'content', 'newer-version']);
  });
});
