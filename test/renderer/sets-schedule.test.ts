import { describe, expect, test } from 'vitest';
import {
  nextTimes,
  parseSchedule,
  printSchedule,
  scheduleProblem,
} from '../../src/renderer/features/sets/draft/schedule-choice.ts';
import type { ScheduleChoice } from '../../src/renderer/features/sets/draft/schedule-choice.ts';
import { scheduleWords } from '../../src/renderer/features/sets/draft/schedule-words.ts';
import { languageOf } from '../../src/strings/strings.ts';

const CASES: readonly (readonly [string, ScheduleChoice])[] = [
  ['manual', { kind: 'manual' }],
  ['hourly', { kind: 'every', minutes: 60 }],
  ['every 30 minutes', { kind: 'every', minutes: 30 }],
  ['every 4 hours', { kind: 'every', minutes: 240 }],
  ['daily 18:30', { kind: 'daily', at: 1110 }],
  ['daily 00:05', { kind: 'daily', at: 5 }],
  ['weekdays 18:30', { kind: 'weekly', days: [1, 2, 3, 4, 5], at: 1110 }],
  ['weekly sunday 09:00', { kind: 'weekly', days: [0], at: 540 }],
  ['cron 0 9 * * 0,3', { kind: 'weekly', days: [3, 0], at: 540 }],
  ['cron 0 12 * * 1-5', { kind: 'cron', expression: '0 12 * * 1-5' }],
  ['on change after 10 minutes', { kind: 'change', quietMinutes: 10 }],
];

describe('schedules', () => {
  test.each(CASES)('parses and prints %s', (words, choice) => {
    expect(parseSchedule(words)).toEqual(choice);
    expect(printSchedule(choice)).toBe(words);
  });

  test('prints all seven days as daily', () => {
    expect(printSchedule({ kind: 'weekly', days: [1, 2, 3, 4, 5, 6, 0], at: 60 })).toBe('daily 01:00');
  });

  test.each([
    ['en', 'Every day, 18:30'],
    ['ja', '毎日、18:30'],
    ['ar', /^[^,]+، 6:30\sم$/],
  ] as const)('describes a daily schedule with the comma of %s', (wish, words) => {
    const said = scheduleWords({ kind: 'daily', at: 1110 }, languageOf(wish, [wish === 'en' ? 'en-GB' : wish]));
    expect(said.replaceAll(/[\u2066-\u2069\u200e\u200f]/g, '')).toMatch(words);
  });

  test('reports invalid schedules', () => {
    const now = Date.now();
    expect(scheduleProblem({ kind: 'every', minutes: 4 }, now)).toBe('interval');
    expect(scheduleProblem({ kind: 'every', minutes: 1441 }, now)).toBe('interval');
    expect(scheduleProblem({ kind: 'weekly', days: [], at: 0 }, now)).toBe('days');
    expect(scheduleProblem({ kind: 'cron', expression: 'often' }, now)).toBe('cron');
    expect(scheduleProblem({ kind: 'cron', expression: '99 * * * *' }, now)).toBe('cron');
    expect(scheduleProblem({ kind: 'cron', expression: '0 0 31 2 *' }, now)).toBe('never');
    expect(scheduleProblem({ kind: 'cron', expression: '0 */3 * * *' }, now)).toBeUndefined();
  });

  test('computes the next times', () => {
    const now = new Date(2026, 10, 20, 12, 0).getTime();
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 2)).toEqual([now + 1_800_000, now + 3_600_000]);
    // The last run was 26 minutes ago.
    const first = now + 240_000;
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 2, first)).toEqual([first, first + 1_800_000]);
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 1, now - 1)).toEqual([now + 1_800_000]);
    expect(nextTimes({ kind: 'change', quietMinutes: 5 }, now, 3, first)).toEqual([]);
    expect(nextTimes({ kind: 'daily', at: 11 * 60 }, now, 2)).toEqual([
      new Date(2026, 10, 21, 11, 0).getTime(),
      new Date(2026, 10, 22, 11, 0).getTime(),
    ]);
    // 20 November 2026 is a Friday.
    expect(nextTimes({ kind: 'weekly', days: [1, 5], at: 13 * 60 }, now, 2)).toEqual([
      new Date(2026, 10, 20, 13, 0).getTime(),
      new Date(2026, 10, 23, 13, 0).getTime(),
    ]);
    expect(nextTimes({ kind: 'cron', expression: '0 0 1 * *' }, now, 1)).toEqual([new Date(2026, 11, 1).getTime()]);
    expect(nextTimes({ kind: 'change', quietMinutes: 5 }, now, 3)).toEqual([]);
    expect(nextTimes({ kind: 'cron', expression: 'nonsense' }, now, 3)).toEqual([]);
  });
});
