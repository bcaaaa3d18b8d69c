import { describe, expect, test } from 'vitest';
import { nextTimes } from '../../../src/renderer/features/sets/draft/next-times.ts';
import { scheduleWords } from '../../../src/renderer/features/sets/draft/schedule-words.ts';
import { languageOf } from '../../../src/strings/strings.ts';

describe('schedules', () => {
  test.each([
    ['en', 'Every day, 18:30'],
    ['ja', '毎日、18:30'],
    ['ar', /^[^,]+، 6:30\sم$/],
  ] as const)('describes a daily schedule with the comma of %s', (wish, words) => {
    const said = scheduleWords({ kind: 'daily', at: 1110 }, languageOf(wish, [wish === 'en' ? 'en-GB' : wish]));
    expect(said.replaceAll(/[\u2066-\u2069\u200e\u200f]/g, '')).toMatch(words);
  });

  test('computes the next times', () => {
    const now = new Date(2026, 10, 20, 12, 0).getTime();
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 2)).toEqual([now + 1_800_000, now + 3_600_000]);
    // The last run was 26 minutes ago.
    const first = now + 240_000;
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 2, first)).toEqual([first, first + 1_800_000]);
    expect(nextTimes({ kind: 'every', minutes: 30 }, now, 1, now - 1)).toEqual([now + 1_800_000]);
    expect(nextTimes({ kind: 'on-change', quietMinutes: 5 }, now, 3, first)).toEqual([]);
    expect(nextTimes({ kind: 'daily', at: 11 * 60 }, now, 2)).toEqual([
      new Date(2026, 10, 21, 11, 0).getTime(),
      new Date(2026, 10, 22, 11, 0).getTime(),
    ]);
    // 20 November 2026 is a Friday.
    expect(nextTimes({ kind: 'weekly', days: ['monday', 'friday'], at: 13 * 60 }, now, 2)).toEqual([
      new Date(2026, 10, 20, 13, 0).getTime(),
      new Date(2026, 10, 23, 13, 0).getTime(),
    ]);
    expect(nextTimes({ kind: 'cron', expression: '0 0 1 * *' }, now, 1)).toEqual([new Date(2026, 11, 1).getTime()]);
    expect(nextTimes({ kind: 'on-change', quietMinutes: 5 }, now, 3)).toEqual([]);
    expect(nextTimes({ kind: 'cron', expression: 'nonsense' }, now, 3)).toEqual([]);
  });
});
