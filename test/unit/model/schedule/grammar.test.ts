import { describe, expect, test } from 'vitest';
import { requireSchedule } from '../../../../src/agent/input/schedule.ts';
import { parseSchedule, printSchedule, SCHEDULE_FORMS } from '../../../../src/model/schedule/grammar.ts';
import { scheduleProblem, type ScheduleProblem } from '../../../../src/model/schedule/problem.ts';
import { WEEKDAYS, type Schedule } from '../../../../src/model/schedule/schedule.ts';

const read: readonly (readonly [spec: string, schedule: Schedule])[] = [
  ['manual', { kind: 'manual' }],
  ['hourly', { kind: 'every', minutes: 60 }],
  ['every 5 minutes', { kind: 'every', minutes: 5 }],
  ['every 1 hour', { kind: 'every', minutes: 60 }],
  ['every 24 hours', { kind: 'every', minutes: 1440 }],
  ['Daily 18:30', { kind: 'daily', at: 1110 }],
  ['daily 0:00', { kind: 'daily', at: 0 }],
  [' weekly  sunday  03:05 ', { kind: 'weekly', days: ['sunday'], at: 185 }],
  ['weekdays 12:00', { kind: 'weekly', days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], at: 720 }],
  ['cron 0 12 * * 1-5', { kind: 'cron', expression: '0 12 * * 1-5' }],
  ['Cron  */15 8-18 *  JAN,jul Mon-Fri', { kind: 'cron', expression: '*/15 8-18 * jan,jul mon-fri' }],
  ['cron 30 18 * * 5L', { kind: 'cron', expression: '30 18 * * 5l' }],
  ['cron 30 18 * * fri#2', { kind: 'cron', expression: '30 18 * * fri#2' }],
  ['cron 0 9 * * 0,3', { kind: 'weekly', days: ['wednesday', 'sunday'], at: 540 }],
  ['on change after 1 minute', { kind: 'on-change', quietMinutes: 1 }],
  ['On change after 1440 minutes', { kind: 'on-change', quietMinutes: 1440 }],
];

const refused = [
  '',
  'sometimes',
  'hourly 3',
  'every',
  'every hour',
  'every 1 minute',
  'every 4 minutes',
  'every 25 hours',
  'every -5 minutes',
  'every 1.5 hours',
  'every 5 days',
  'daily',
  'daily 24:00',
  'daily 25:00',
  'daily 12:60',
  'daily 12:5',
  'daily 18:30 please',
  'weekly 18:30',
  'weekly someday 18:30',
  'weekly monday 18:30 utc',
  'cron',
  'cron 0 12 * *',
  'cron 0 12 * * 1 2027',
  'cron 60 12 * * *',
  'cron 0 0 30 2 *',
  'cron @daily',
  'cron @daily * * * *',
  'cron 0 12 * * someday',
  'on change',
  'on change after 0 minutes',
  'on change after 1441 minutes',
  'on change after 2 hours',
  'on change after 10 hours',
  'on change after 10 minutes please',
];

describe('a schedule', () => {
  test('on all seven days is a daily one', () => {
    expect(printSchedule({ kind: 'weekly', days: WEEKDAYS, at: 60 })).toBe('daily 01:00');
  });

  test.each<readonly [Schedule, ScheduleProblem | undefined]>([
    [{ kind: 'every', minutes: 4 }, 'interval'],
    [{ kind: 'every', minutes: 1441 }, 'interval'],
    [{ kind: 'every', minutes: 5 }, undefined],
    [{ kind: 'on-change', quietMinutes: 0 }, 'quiet'],
    [{ kind: 'on-change', quietMinutes: 1441 }, 'quiet'],
    [{ kind: 'on-change', quietMinutes: 1440 }, undefined],
    [{ kind: 'weekly', days: [], at: 0 }, 'days'],
    [{ kind: 'cron', expression: 'often' }, 'cron'],
    [{ kind: 'cron', expression: '99 * * * *' }, 'cron'],
    [{ kind: 'cron', expression: '0 0 31 2 *' }, 'never'],
    [{ kind: 'cron', expression: ' 0 */3 * * * ' }, undefined],
  ])('%j has the problem %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });

  test.each(read)('%s', (spec, schedule) => {
    expect(parseSchedule(spec)).toEqual(schedule);
    expect(parseSchedule(printSchedule(schedule))).toEqual(schedule);
  });

  test.each(SCHEDULE_FORMS)('parses the form that messages name: %s', (form) => {
    expect(printSchedule(parseSchedule(form)!)).toBe(form);
  });

  test.each(refused)('refuses %j and names the forms', (spec) => {
    expect(parseSchedule(spec)).toBeUndefined();
    expect(() => requireSchedule(spec)).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ schedule: spec, forms: SCHEDULE_FORMS }),
      }),
    );
  });
});
