import { describe, expect, test } from 'vitest';
import { judgeRemoval, lockEnd, witnessTimes } from '../../../src/rules/removal-decision.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-03-01T10:00:00.000Z');

describe('the decision about removing a restore point', () => {
  const point = { sequence: 3, restorePoint: NOW - 5 * DAY, pinned: false, inUse: false };
  const rules = { minimumDays: 0, held: false, now: NOW };
  const judge = (change: Partial<typeof point & typeof rules & { newest: boolean; until: number }>) =>
    judgeRemoval({ ...point, ...change }, change.newest ?? false, change.until ?? 0, { ...rules, ...change });

  test.each([
    [{}, { kind: 'removable' }],
    [{ newest: true }, { kind: 'newest' }],
    [{ pinned: true }, { kind: 'pinned' }],
    [{ until: NOW + 1 }, { kind: 'locked', until: NOW + 1 }],
    [{ until: NOW }, { kind: 'removable' }],
    [{ held: true }, { kind: 'held' }],
    [{ inUse: true }, { kind: 'in-use' }],
    [{ newest: true, pinned: true, held: true, inUse: true, until: NOW + 1 }, { kind: 'newest' }],
    [
      { held: true, inUse: true, until: NOW + 1 },
      { kind: 'locked', until: NOW + 1 },
    ],
  ])('%j: %j', (change, verdict) => {
    expect(judge(change)).toEqual(verdict);
  });
});

test('counts a minimum from the latest time seen, so that setting the clock back makes nothing older', () => {
  const times = witnessTimes([
    { sequence: 3, restorePoint: NOW - 400 * DAY },
    { sequence: 1, restorePoint: NOW - DAY },
    { sequence: 2, restorePoint: NOW },
  ]);
  expect([times.get(1), times.get(2), times.get(3)]).toEqual([NOW - DAY, NOW, NOW]);
  expect(lockEnd(times.get(3)!, 30)).toBe(NOW + 30 * DAY);
  expect(lockEnd(NOW, 0)).toBe(0);
});
