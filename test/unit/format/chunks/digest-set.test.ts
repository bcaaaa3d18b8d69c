import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DigestSet } from '../../../../src/format/chunks/digest-set.ts';

const digest = (value: number): Buffer => createHash('sha256').update(String(value)).digest();

test('behaves like a Set of strings', () => {
  const step = fc.record({ kind: fc.constantFrom('add', 'take', 'has'), value: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const set = new DigestSet();
      const model = new Set<number>();
      for (const { kind, value } of steps) {
        if (kind === 'add') {
          set.add(digest(value));
          model.add(value);
        } else if (kind === 'take') expect(set.take(digest(value))).toBe(model.delete(value));
        else expect(set.has(digest(value))).toBe(model.has(value));
        expect(set.size).toBe(model.size);
      }
    }),
  );
});

test('grows far beyond its initial size', () => {
  const set = new DigestSet();
  const count = 5000;
  for (let value = 0; value < count; value += 1) set.add(digest(value));
  expect(set.size).toBe(count);
  for (let value = 0; value < count; value += 1) expect(set.take(digest(value))).toBe(true);
  expect(set.size).toBe(0);
  expect(set.take(digest(count))).toBe(false);
});
