import { describe, expect, test } from 'vitest';
import { dayStrip, stripStart } from '../../../../../src/agent/host/state/day-strip.ts';
import type { JobState } from '../../../../../src/jobs/job-state.ts';

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const at = (daysBefore: number, hour: number): number => new Date(2026, 10, 21 - daysBefore, hour).getTime();
const end = (daysBefore: number, hour: number, state: JobState, backupSet = 'a', destination = 'disk') => ({
  backupSet,
  destination,
  state,
  startedAt: at(daysBefore, hour) - 600_000,
  endedAt: at(daysBefore, hour),
});

describe('the day strip', () => {
  test('has 30 calendar days, also when daylight saving time ends', () => {
    const strip = dayStrip([], NOW);
    expect(strip).toHaveLength(30);
    expect(strip.map(({ date }) => date).slice(0, 5)).toEqual([
      '2026-10-23',
      '2026-10-24',
      '2026-10-25',
      '2026-10-26',
      '2026-10-27',
    ]);
    expect(strip.at(-1)).toEqual({ date: '2026-11-21', outcome: 'none', runs: 0 });
    expect(stripStart(NOW)).toBe(new Date(2026, 9, 23).getTime());
  });

  const outcomeOf = (...ends: ReturnType<typeof end>[]): string => dayStrip(ends, NOW).at(-1)!.outcome;

  test('shows a success when a backup succeeded before or after a failure', () => {
    expect(outcomeOf(end(0, 1, 'failed'), end(0, 2, 'succeeded'))).toBe('succeeded');
    expect(outcomeOf(end(0, 1, 'succeeded'), end(0, 2, 'failed'))).toBe('succeeded');
    expect(outcomeOf(end(0, 1, 'failed'))).toBe('failed');
  });

  test('shows the outcome of the last complete backup', () => {
    expect(outcomeOf(end(0, 1, 'succeeded'), end(0, 2, 'succeeded-with-warnings'))).toBe('warnings');
    expect(outcomeOf(end(0, 1, 'succeeded-with-warnings'), end(0, 2, 'succeeded'))).toBe('succeeded');
  });

  test('shows the worst set', () => {
    expect(outcomeOf(end(0, 1, 'succeeded', 'a'), end(0, 2, 'failed', 'b'))).toBe('failed');
  });

  test('counts a run to several destinations once', () => {
    const dayOf = (...ends: ReturnType<typeof end>[]) => dayStrip(ends, NOW).at(-1)!;
    const [disk, cloud, nas] = ['disk', 'cloud', 'nas'].map((place) => end(0, 2, 'succeeded', 'a', place)) as [
      ReturnType<typeof end>,
      ReturnType<typeof end>,
      ReturnType<typeof end>,
    ];
    expect(dayOf(disk, cloud, nas)).toMatchObject({ outcome: 'succeeded', runs: 1 });
    // One that is slow ends hours later.
    expect(dayOf(disk, { ...cloud, endedAt: at(0, 5) })).toMatchObject({ runs: 1 });
    expect(dayOf(disk, end(0, 3, 'succeeded', 'a', 'cloud'))).toMatchObject({ runs: 2 });
    expect(dayOf(disk, { ...disk, startedAt: disk.endedAt, endedAt: at(0, 3) })).toMatchObject({ runs: 2 });
    expect(dayOf(disk, end(0, 2, 'succeeded', 'b', 'cloud'))).toMatchObject({ runs: 2 });
  });

  test('counts a run to several destinations on the day of its end', () => {
    const disk = end(1, 23, 'succeeded');
    const cloud = { ...end(0, 2, 'succeeded', 'a', 'cloud'), startedAt: disk.startedAt };
    expect(dayStrip([disk, cloud], NOW).slice(-2)).toMatchObject([
      { outcome: 'succeeded', runs: 0 },
      { outcome: 'succeeded', runs: 1 },
    ]);
  });

  test('shows warnings for a set that failed at one of its destinations', () => {
    expect(outcomeOf(end(0, 1, 'succeeded'), end(0, 1, 'failed', 'a', 'cloud'))).toBe('warnings');
    expect(outcomeOf(end(0, 1, 'failed'), end(0, 1, 'failed', 'a', 'cloud'))).toBe('failed');
    expect(outcomeOf(end(0, 1, 'succeeded'), end(0, 1, 'interrupted', 'a', 'cloud'))).toBe('succeeded');
  });

  test('counts cancelled runs without an outcome', () => {
    expect(dayStrip([end(3, 5, 'cancelled'), end(3, 6, 'interrupted')], NOW).at(-4)).toEqual({
      date: '2026-11-18',
      outcome: 'none',
      runs: 2,
    });
  });
});
