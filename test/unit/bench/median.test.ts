import fc from 'fast-check';
import { expect, test } from 'vitest';
import { median } from '../../../bench/compare/median.ts';

test.each([
  { values: [3], is: 3 },
  { values: [10, 9, 100], is: 10 },
  { values: [1, 2, 10, 4], is: 3 },
  { values: [], is: Number.NaN },
])('is $is for $values', ({ values, is }) => {
  expect(median(values)).toBe(is);
});

test('has as many values below as above, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const middle = median(values);
      const below = values.filter((value) => value < middle).length;
      const above = values.filter((value) => value > middle).length;
      expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
      expect(median(values.toReversed())).toBe(middle);
    }),
  );
});
