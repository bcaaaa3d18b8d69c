import { describe, expect, test } from 'vitest';
import { completionOf, madeAt, newestUntil, timeOfPoint } from '../../../src/base/point-time.ts';

const at = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
/** After a run on the second, whose clock said the twentieth. */
const newestFirst = [
  { restore_point: '2026-01-20T00:00:00.002Z', completed_at: at(4) },
  { restore_point: '2026-01-20T00:00:00.001Z', completed_at: at(3) },
  { restore_point: at(20) },
  { restore_point: at(1) },
];

describe('the time of a restore point', () => {
  test('is when its run was completed if that is clearly earlier', () => {
    expect(newestFirst.map(timeOfPoint)).toEqual([at(4), at(3), at(20), at(1)]);
    expect(timeOfPoint({ restore_point: at(2), completed_at: at(3) })).toBe(at(2));
    expect(madeAt(100_000, 30_000)).toBe(30_000);
    expect(madeAt(100_000, 60_000)).toBe(100_000);
    expect(madeAt(100_000, 200_000)).toBe(100_000);
    expect(completionOf(100_000, 60_000)).toEqual({});
    expect(completionOf(100_000, 30_000)).toEqual({ completed_at: '1970-01-01T00:00:30.000Z' });
  });

  test('decides which one a time finds, unless one has exactly that time', () => {
    expect(newestUntil(newestFirst, Date.parse(at(5)))).toBe(newestFirst[0]);
    expect(newestUntil(newestFirst, Date.parse(at(3)))).toBe(newestFirst[1]);
    expect(newestUntil(newestFirst, Date.parse(at(2)))).toBe(newestFirst[3]);
    expect(newestUntil(newestFirst, Date.parse(at(20)))).toBe(newestFirst[2]);
    expect(newestUntil(newestFirst, 0)).toBeUndefined();
  });
});
