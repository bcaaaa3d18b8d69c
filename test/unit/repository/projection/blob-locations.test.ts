import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownPacks, type KnownPack } from './known-packs.ts';

let packs: KnownPacks;
beforeEach(() => {
  packs = new KnownPacks();
});
afterEach(() => packs[Symbol.dispose]());

/** What makes a copy of a blob worse, the worst first. */
const DEFECTS: Readonly<Record<string, (pack: KnownPack, digest: Buffer) => void>> = {
  'a lost pack': ({ hash }) => packs.table.markLost(hash, true, { writer: 'w', time: 1 }),
  'a damaged pack': ({ number }) => packs.table.markDamaged(number),
  'a contested pack': (pack) => packs.markContested(pack),
  'a damaged blob': ({ number }, digest) => packs.table.markBlobDamaged(digest, number),
};

describe('locating blobs', () => {
  const blob = randomBytes(32);
  const placesOf = (digest: Buffer): readonly number[] => packs.table.locate(digest).map(({ pack }) => pack);

  test('returns where each blob is, in the order of the digests', () => {
    const other = randomBytes(32);
    const { hash, number: pack } = packs.add([blob, other]);
    const packHash = hash.toString('hex');
    const [first, second] = packs.table.find(pack)!.blobs.map(({ offset, length, size }) => ({
      pack,
      packHash,
      offset,
      length,
      size,
    }));
    expect(first).toMatchObject({ length: 40, size: 12 });
    expect(packs.table.locateAll([other, randomBytes(32), blob])).toEqual([[second], [], [first]]);
  });

  test('returns the latest of equally good copies first', () => {
    const added = [packs.add([blob]), packs.add([blob]), packs.add([blob])];
    expect(placesOf(blob)).toEqual(added.map(({ number }) => number).reverse());
  });

  const names = Object.keys(DEFECTS);
  test.each(names.flatMap((worse, index) => [...names.slice(index + 1), 'nothing'].map((better) => [worse, better])))(
    'returns a copy with %s after one with %s',
    (worse, better) => {
      const both = [packs.add([blob]), packs.add([blob])] as const;
      for (const [bad, good] of [both, [both[1], both[0]]] as const) {
        packs.database.exec('SAVEPOINT before');
        DEFECTS[worse]!(bad, blob);
        DEFECTS[better]?.(good, blob);
        expect(placesOf(blob)).toEqual([good.number, bad.number]);
        packs.database.exec('ROLLBACK TO before');
      }
    },
  );

  test('returns a condemned pack like any other: its file still exists', () => {
    const { hash, number } = packs.add([blob]);
    packs.table.condemn(hash, { writer: 'w', number: 1, time: 1 });
    expect(placesOf(blob)).toEqual([number]);
  });

  test('sees a decision that came between two calls', () => {
    const [first, second] = [packs.add([blob]), packs.add([blob])];
    expect(placesOf(blob)).toEqual([second.number, first.number]);
    packs.table.markDamaged(second.number);
    expect(placesOf(blob)).toEqual([first.number, second.number]);
  });
});
