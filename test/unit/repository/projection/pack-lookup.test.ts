import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownPacks, type KnownPack } from './known-packs.ts';

let packs: KnownPacks;
beforeEach(() => {
  packs = new KnownPacks();
});
afterEach(() => packs[Symbol.dispose]());

const DECISIONS: Readonly<Record<string, (pack: KnownPack, digest: Buffer) => void>> = {
  'is condemned': ({ hash }) => packs.table.condemn(hash, { writer: 'w', number: 1, time: 1 }),
  'is damaged': ({ number }) => packs.table.markDamaged(number),
  'is lost': ({ hash }) => packs.table.markLost(hash, true, { writer: 'w', time: 1 }),
  'was never seen': ({ hash }) => packs.database.prepare('UPDATE pack SET seen = 0 WHERE hash = ?').run(hash),
  'is contested': (pack) => packs.markContested(pack),
  'has the chunk damaged': ({ number }, digest) => packs.table.markBlobDamaged(digest, number),
};

const found = (digests: readonly Buffer[]): readonly (number | undefined)[] =>
  packs.table.lookUp((packWith) => digests.map((digest) => packWith(digest)));

describe('looking many chunks up', () => {
  const digests = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const [first, shared, unknown] = digests as [Buffer, Buffer, Buffer];

  test('finds the packs that have them, and none for one that no pack has', () => {
    const pack = packs.add([first, shared]);
    expect(found(digests)).toEqual([pack.number, pack.number, undefined]);
  });

  test.each(Object.keys(DECISIONS))('does not count on a pack that %s', (state) => {
    const pack = packs.add([first]);
    DECISIONS[state]!(pack, first);
    expect(found([first, unknown])).toEqual([undefined, undefined]);
  });

  // Whichever of the two packs the index names first.
  test.each(Object.keys(DECISIONS).flatMap((state) => [0, 1].map((which) => [state, which] as const)))(
    'finds the other pack when one that has the chunk %s (%i)',
    (state, which) => {
      const both = [packs.add([shared]), packs.add([shared, first])];
      DECISIONS[state]!(both[which]!, shared);
      expect(found([shared])).toEqual([both[1 - which]!.number]);
    },
  );

  test('sees a decision that came between two calls', () => {
    const pack = packs.add([first]);
    expect(found([first])).toEqual([pack.number]);
    packs.table.markLost(pack.hash, true, { writer: 'w', time: 1 });
    expect(found([first])).toEqual([undefined]);
  });
});
