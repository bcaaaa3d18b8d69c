import { describe, expect, test } from 'vitest';
import type { Distance } from '../../../../../src/agent/destination/distance.ts';
import { rankDestinations, type Candidate } from '../../../../../src/agent/operations/restore/rank-destinations.ts';

function candidate(id: string, distance: Distance, point?: number, known?: number): Candidate {
  return { id, distance, point, known };
}

describe('the ranking of destinations', () => {
  test.each([
    [
      'a disk before a share before a remote one',
      [
        ['c', 'remote', 5],
        ['b', 'share', 5],
        ['a', 'disk', 5],
      ],
      'a',
      'a',
    ],
    [
      'the order of the settings among equals',
      [
        ['b', 'disk', 5],
        ['a', 'disk', 5],
      ],
      'b',
      'b',
    ],
    [
      'only those with a restore point',
      [
        ['a', 'disk'],
        ['b', 'remote', 5],
      ],
      'b',
      'b',
    ],
    [
      'the newest restore point apart from the nearest',
      [
        ['a', 'disk', 4],
        ['b', 'remote', 5],
      ],
      'a',
      'b',
    ],
    [
      'the nearest of the newest',
      [
        ['a', 'disk', 4],
        ['b', 'remote', 5],
        ['c', 'share', 5],
      ],
      'a',
      'c',
    ],
  ] as const)('prefers %s', (_name, listed, nearest, newest) => {
    const ranking = rankDestinations(listed.map(([id, distance, point]) => candidate(id, distance, point)));
    expect(ranking).toMatchObject({ nearest: { id: nearest }, newest: { id: newest }, absent: undefined });
  });

  test('is undefined when none has a restore point', () => {
    expect(rankDestinations([candidate('a', 'disk', undefined, 5)])).toBeUndefined();
  });

  test('names an absent one only if it has a newer restore point than all others', () => {
    const here = [candidate('a', 'disk', 4), candidate('b', 'remote', 6)];
    const absentAt = (known: number): string | undefined =>
      rankDestinations([...here, candidate('c', 'share', undefined, known), candidate('d', 'share', undefined, 3)])
        ?.absent?.id;
    expect(absentAt(5)).toBeUndefined();
    expect(absentAt(6)).toBeUndefined();
    expect(absentAt(7)).toBe('c');
  });
});
