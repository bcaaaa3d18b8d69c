import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntriesHash, packDigests, TreeEntriesHash, type HashedFile } from '../../../src/engine/tree/entries-hash.ts';
import { comparePaths } from '../../../src/protocol/path.ts';

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
  readonly digests: Buffer;
}

/** The simplest implementation: everything at once, with BigInt for the numbers. */
function reference(entries: readonly Entry[]): string {
  const parts = entries.flatMap(({ path, size, modified, digests }) => {
    const name = Buffer.from(path, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(name.length);
    const numbers = Buffer.alloc(20);
    numbers.writeBigUInt64BE(BigInt(size), 0);
    numbers.writeBigInt64BE(BigInt(modified), 8);
    numbers.writeUInt32BE(digests.length / 32, 16);
    return [length, name, numbers, digests];
  });
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

function fileOf({ path, size, modified, digests }: Entry): HashedFile {
  return { path, size, modified, chunks: digests, stride: 32 };
}

function hashOf(entries: readonly Entry[]): string {
  const entriesHash = new EntriesHash();
  for (const entry of entries) entriesHash.add(fileOf(entry));
  return entriesHash.endPiece().toString('hex');
}

const DIGEST = Buffer.alloc(32, 1);
const entry = (path: string, more: Partial<Entry> = {}): Entry => ({
  path,
  size: 5,
  modified: 1_000,
  digests: DIGEST,
  ...more,
});

const anyEntries = fc
  .uniqueArray(
    fc.record({
      path: fc
        .string({ unit: 'binary', maxLength: 30 })
        .filter((name) => name.isWellFormed())
        .map((name) => `/x${name}`),
      size: fc.maxSafeNat(),
      modified: fc.integer({ min: -8.64e15, max: 8.64e15 }),
      digests: fc.nat({ max: 5 }).map((count) => Buffer.alloc(32 * count, count)),
    }),
    { selector: (candidate) => candidate.path },
  )
  .map((entries) => entries.toSorted((a, b) => comparePaths(a.path, b.path)));

describe('EntriesHash', () => {
  test('is the SHA-256 of nothing when there are no entries', () => {
    expect(hashOf([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  test('follows the format', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        expect(hashOf(entries)).toBe(reference(entries));
      }),
    );
  });

  test('follows the format when entries are large, paths long or entries many', () => {
    const entries = [
      entry('/a', { digests: Buffer.alloc(32 * 5000, 3) }),
      entry(`/b/${'\u{1F600}'.repeat(20_000)}`),
      ...Array.from({ length: 3000 }, (_, index) => entry(`/c/${String(index).padStart(5, '0')}`)),
    ];
    expect(hashOf(entries)).toBe(reference(entries));
  });

  test('reads digests from longer records', () => {
    const records = Buffer.concat([DIGEST, Buffer.from('size'), Buffer.alloc(32, 2), Buffer.from('size')]);
    const entriesHash = new EntriesHash();
    entriesHash.add({ path: '/a', size: 5, modified: 1_000, chunks: records, stride: 36 });
    expect(entriesHash.endPiece().toString('hex')).toBe(
      reference([entry('/a', { digests: Buffer.concat([DIGEST, Buffer.alloc(32, 2)]) })]),
    );
  });

  test.each<[string, Partial<Entry>]>([
    ['path', { path: '/b' }],
    ['size', { size: 6 }],
    ['time', { modified: 1_001 }],
    ['content', { digests: Buffer.alloc(32, 2) }],
    ['number of chunks', { digests: Buffer.concat([DIGEST, DIGEST]) }],
  ])('changes with the %s', (_, more) => {
    expect(hashOf([entry('/a', more)])).not.toBe(hashOf([entry('/a')]));
  });

  test('throws when an entry is reserved or its digests have a wrong length', () => {
    expect(() => hashOf([entry('/.holdfast/tree')])).toThrow('reserved');
    expect(() => hashOf([entry('/a', { digests: Buffer.alloc(33) })])).toThrow(RangeError);
  });

  test('packs digests in order', () => {
    const hexes = ['ab'.repeat(32), '01'.repeat(32)];
    expect(packDigests(hexes.map((hex) => `sha256:${hex}`)).toString('hex')).toBe(hexes.join(''));
    expect(packDigests([]).length).toBe(0);
  });
});

describe('TreeEntriesHash', () => {
  const wholeOf = (...pieces: readonly (readonly Entry[])[]): string =>
    createHash('sha256')
      .update(Buffer.concat(pieces.map((entries) => Buffer.from(reference(entries), 'hex'))))
      .digest('hex');
  const read = (ends: readonly (string | undefined)[], entries: readonly Entry[]): string => {
    const whole = new TreeEntriesHash(ends);
    for (const entry of entries) whole.add(entry.path, fileOf(entry));
    return whole.digest();
  };
  const [a, b, c, d] = ['/a', '/b', '/c', '/d'].map((path) => entry(path)) as [Entry, Entry, Entry, Entry];

  test.each<[string, readonly (string | undefined)[], readonly Entry[], string]>([
    ['no records', [], [], wholeOf()],
    ['one piece', ['/c'], [a, b, c], wholeOf([a, b, c])],
    ['a piece that ends in a folder', ['/b/x', '/c'], [a, b, c], wholeOf([a, b], [c])],
    ['pieces without files', ['/0', '/a', '/aa', '/d', '/e'], [a, b, d], wholeOf([], [a], [], [b, d], [])],
    ['a record over three pieces', [undefined, undefined, '/a', '/b'], [a, b], wholeOf([], [], [a], [b])],
    ['a file after the last record', ['/a'], [a, b], wholeOf([a], [b])],
  ])('covers the pieces: %s', (_, ends, entries, expected) => {
    expect(read(ends, entries)).toBe(expected);
  });

  test('covers the paths as they are sent', () => {
    const whole = new TreeEntriesHash(['/z']);
    whole.add('/b', { path: '/sealed', size: 5, modified: 1_000, chunks: DIGEST, stride: 32 });
    expect(whole.digest()).toBe(wholeOf([entry('/sealed')]));
  });
});
