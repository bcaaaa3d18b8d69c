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

interface KnownPack {
  readonly hash: Buffer;
  readonly number: number;
}

/** Adds a pack that this computer wrote, with these chunks. */
function addPack(digests: readonly Buffer[]): KnownPack {
  const hash = randomBytes(32);
  const contents = encodeTable(digests.map((digest) => ({ digest, length: 40, size: 12, kind: 'data' as const })));
  packs.add({ hash, writer: undefined, contents }, decodeTable(contents)!);
  return { hash, number: packs.numberOf(hash)! };
}

const DECISIONS: Readonly<Record<string, (pack: KnownPack, digest: Buffer) => void>> = {
  'is condemned': ({ hash }) => packs.condemn(hash, { writer: 'w', number: 1, time: 1 }),
  'is damaged': ({ number }) => packs.markDamaged(number),
  'is lost': ({ hash }) => packs.markLost(hash, true, { writer: 'w', time: 1 }),
  'was never seen': ({ hash }) => database.prepare('UPDATE pack SET seen = 0 WHERE hash = ?').run(hash),
  'is contested': ({ hash }) => database.prepare('UPDATE pack SET contested = 1 WHERE hash = ?').run(hash),
  'has the chunk damaged': ({ number }, digest) => packs.markBlobDamaged(digest, number),
};

const found = (digests: readonly Buffer[]): readonly (number | undefined)[] =>
  packs.lookUp((packWith) => digests.map((digest) => packWith(digest)));

describe('looking many chunks up', () => {
  const digests = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const [first, shared, unknown] = digests as [Buffer, Buffer, Buffer];

  test('finds the packs that have them, and none for one that no pack has', () => {
    const pack = addPack([first, shared]);
    expect(found(digests)).toEqual([pack.number, pack.number, undefined]);
  });

  test.each(Object.keys(DECISIONS))('does not count on a pack that %s', (state) => {
    const pack = addPack([first]);
    DECISIONS[state]!(pack, first);
    expect(found([first, unknown])).toEqual([undefined, undefined]);
  });

  // Whichever of the two packs the index names first.
  test.each(Object.keys(DECISIONS).flatMap((state) => [0, 1].map((which) => [state, which] as const)))(
    'finds the other pack when one that has the chunk %s (%i)',
    (state, which) => {
      const both = [addPack([shared]), addPack([shared, first])];
      DECISIONS[state]!(both[which]!, shared);
      expect(found([shared])).toEqual([both[1 - which]!.number]);
    },
  );

  test('sees a decision that came between two calls', () => {
    const pack = addPack([first]);
    expect(found([first])).toEqual([pack.number]);
    packs.markLost(pack.hash, true, { writer: 'w', time: 1 });
    expect(found([first])).toEqual([undefined]);
  });
});
