import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlobKey } from '../../../../src/service/objects/object-store.ts';
import { blobName, nameBefore, parseBlobName } from '../../../../src/service/objects/s3/blob-names.ts';
import { planListings } from '../../../../src/service/objects/s3/listing-plan.ts';

function key(chunkId: number, accountId = 'acc_a'): BlobKey {
  return { accountId, chunkId, digest: 'ab'.repeat(32), size: 50 };
}

function keys(from: number, count: number, step = 1): BlobKey[] {
  return Array.from({ length: count }, (_, index) => key(from + index * step));
}

test.each([
  ['nothing', [], [], 0],
  ['a few apart', keys(1, 3), [], 3],
  ['many together', keys(1, 2_500), [1_000, 1_000, 500], 0],
  ['many far apart', keys(1, 50, 1_000), [], 50],
  ['two groups', [...keys(1, 10), ...keys(5_000, 10)], [10, 10], 0],
])('%s', (_name, wanted, ranges, single) => {
  const plan = planListings(wanted);
  expect(plan.ranges.map((range) => range.length)).toEqual(ranges);
  expect(plan.single).toHaveLength(single);
});

test('a plan contains each key once, in ordered ranges of one account', () => {
  const anyKey = fc.record({ id: fc.integer({ min: 1, max: 5_000 }), account: fc.constantFrom('acc_a', 'acc_b') });
  fc.assert(
    fc.property(
      fc.uniqueArray(anyKey, { selector: ({ id, account }) => `${account}${id}`, maxLength: 300 }),
      (given) => {
        const wanted = given.map(({ id, account }) => key(id, account));
        const { ranges, single } = planListings(wanted);
        expect(new Set([...ranges.flat(), ...single])).toEqual(new Set(wanted));
        expect(ranges.flat().length + single.length).toBe(wanted.length);
        for (const range of ranges) {
          expect(new Set(range.map(({ accountId }) => accountId)).size).toBe(1);
          expect(range.map(({ chunkId }) => chunkId)).toEqual(
            range.map(({ chunkId }) => chunkId).toSorted((one, other) => one - other),
          );
        }
      },
    ),
  );
});

test('names sort in the order of chunk ids, and can be parsed', () => {
  const ids = fc.integer({ min: 1, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const [name, second] = [blobName(key(one)), blobName(key(other))];
      expect(Math.sign(one - other)).toBe(name < second ? -1 : name > second ? 1 : 0);
      expect(nameBefore('acc_a', one) < name).toBe(true);
      expect(nameBefore('acc_a', one) > second).toBe(other < one);
      expect(parseBlobName(name)).toEqual({ accountId: 'acc_a', chunkId: one, digest: 'ab'.repeat(32) });
    }),
  );
});
