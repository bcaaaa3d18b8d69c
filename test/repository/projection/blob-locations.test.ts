import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeTable, encodeTable } from '../../../src/repository/format/pack-file.ts';
import { PackTable } from '../../../src/repository/projection/packs.ts';
import { openProjectionDatabase, type ProjectionDatabase } from '../../../src/repository/projection/database.ts';

let database: ProjectionDatabase;
let packs: PackTable;
beforeEach(() => {
  database = openProjectionDatabase(':memory:', 'ab'.repeat(16));
  packs = new PackTable(database);
});
afterEach(() => database.close());

/** Adds a pack with these chunks. Returns its number. */
function addPack(digests: readonly Buffer[]): number {
  const hash = randomBytes(32);
  const contents = encodeTable(digests.map((digest) => ({ digest, length: 40, size: 12, kind: 'data' as const })));
  packs.add({ hash, writer: undefined, contents }, decodeTable(contents)!);
  return packs.numberOf(hash)!;
}

const hashOf = (pack: number): Buffer => packs.find(pack)!.hash;

/** What makes a copy of a blob worse, the worst first. */
const DEFECTS: Readonly<Record<string, (pack: number, digest: Buffer) => void>> = {
  'a lost pack': (pack) => packs.markLost(hashOf(pack), true, { writer: 'w', time: 1 }),
  'a damaged pack': (pack) => packs.markDamaged(pack),
  'a contested pack': (pack) => database.prepare('UPDATE pack SET contested = 1 WHERE number = ?').run(pack),
  'a damaged blob': (pack, digest) => packs.markBlobDamaged(digest, pack),
};

describe('locating blobs', () => {
  const blob = randomBytes(32);
  const placesOf = (digest: Buffer): readonly number[] => packs.locate(digest).map(({ pack }) => pack);

  test('returns where each blob is, in the order of the digests', () => {
    const other = randomBytes(32);
    const pack = addPack([blob, other]);
    const packHash = hashOf(pack).toString('hex');
    const [first, second] = packs.find(pack)!.blobs.map(({ offset, length, size }) => ({
      pack,
      packHash,
      offset,
      length,
      size,
    }));
    expect(first).toMatchObject({ length: 40, size: 12 });
    expect(packs.locateAll([other, randomBytes(32), blob])).toEqual([[second], [], [first]]);
  });

  test('returns the latest of equally good copies first', () => {
    const numbers = [addPack([blob]), addPack([blob]), addPack([blob])];
    expect(placesOf(blob)).toEqual(numbers.reverse());
  });

  const names = Object.keys(DEFECTS);
  test.each(names.flatMap((worse, index) => [...names.slice(index + 1), 'nothing'].map((better) => [worse, better])))(
    'returns a copy with %s after one with %s',
    (worse, better) => {
      const numbers = [addPack([blob]), addPack([blob])] as const;
      for (const [bad, good] of [numbers, [...numbers].reverse()] as [number, number][]) {
        database.exec('SAVEPOINT before');
        DEFECTS[worse]!(bad, blob);
        DEFECTS[better]?.(good, blob);
        expect(placesOf(blob)).toEqual([good, bad]);
        database.exec('ROLLBACK TO before');
      }
    },
  );

  test('returns a condemned pack like any other: its file still exists', () => {
    const pack = addPack([blob]);
    packs.condemn(hashOf(pack), { writer: 'w', number: 1, time: 1 });
    expect(placesOf(blob)).toEqual([pack]);
  });

  test('sees a decision that came between two calls', () => {
    const [first, second] = [addPack([blob]), addPack([blob])];
    expect(placesOf(blob)).toEqual([second, first]);
    packs.markDamaged(second);
    expect(placesOf(blob)).toEqual([first, second]);
  });
});
