import { expect, test } from 'vitest';
import { laterLines } from '../../../src/cli/commands/destinations/free.ts';

const AT = Date.parse('2026-12-02T14:25:34Z');
const others = ['desktop'];

const linesAt = (now: string, waitsFor: readonly string[] = []): readonly string[] =>
  laterLines(
    { isSole: false, others, later: [{ at: AT, bytes: 3_240_000, because: 'others', waitsFor }] },
    Date.parse(now),
  );

test('a time that is still to come is said without a word about clocks', () => {
  expect(linesAt('2026-12-01T00:00:00Z')).toEqual([expect.stringMatching(/^About 3\.24 MB will be freed after /)]);
});

test('a time that has passed here shows that the clock of the destination is behind', () => {
  expect(linesAt('2026-12-04T00:00:00Z')).toEqual([
    expect.stringMatching(/^About 3\.24 MB will be freed after /),
    expect.stringContaining('the clock of the destination is behind'),
  ]);
});

test('a time that has passed is no matter of clocks while another computer is waited for', () => {
  expect(linesAt('2026-12-04T00:00:00Z', others)).toHaveLength(1);
});
