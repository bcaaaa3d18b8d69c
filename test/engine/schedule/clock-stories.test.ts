import { describe, expect, test } from 'vitest';
import { cron, daily, hourly, told, type Story } from './stories.ts';
import { DAY, HOUR, MINUTE, SECOND, ScheduleSimulation } from './schedule-simulation.ts';

const clocks: readonly Story[] = [
  [
    'set forward over the moment: once',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(HOUR)
        .pass(DAY - HOUR),
    ['11-02 19:01 missed (asleep)'],
  ],
  [
    'set back after the run: not again',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(40 * MINUTE)
        .setClock(-HOUR)
        .pass(23 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by seconds, again and again, at the moment',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T18:29Z', 'UTC');
      for (let times = 0; times < 20; times += 1) simulation.pass(10 * SECOND).setClock(-7 * SECOND);
      return simulation.pass(HOUR);
    },
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by hours before the moment: once, when it comes',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(10 * MINUTE)
        .setClock(-5 * HOUR)
        .pass(7 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by days after the run: goes on with the next moment of the new time',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-12T18:00Z', 'UTC')
        .pass(HOUR)
        .setClock(-10 * DAY)
        .pass(DAY),
    ['11-12 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'set forward by days, over several moments: once',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T12:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(10 * DAY)
        .pass(5 * HOUR),
    ['11-12 12:01 missed (asleep)'],
  ],
  [
    'begun with a clock of 1970, as without a battery, and set right soon after',
    () => new ScheduleSimulation(daily(18, 30), 0, 'UTC').setClock(Date.parse('2026-11-02T12:00Z')).pass(DAY),
    ['11-02 12:00 missed (asleep)', '11-02 18:30 schedule'],
  ],
  [
    'a year ahead by mistake, and corrected: goes on',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T12:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(365 * DAY)
        .pass(HOUR)
        .setClock(-365 * DAY)
        .pass(2 * DAY),
    ['11-02 12:01 missed (asleep)', '11-02 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'an interval over a clock that is set back by a day',
    () =>
      new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC')
        .pass(90 * MINUTE)
        .setClock(-DAY)
        .pass(2 * HOUR + MINUTE),
    ['11-02 01:00 schedule', '11-01 02:30 schedule', '11-01 03:30 schedule'],
  ],
  [
    'a wait for another try over a clock that is set back by a day',
    () => {
      const simulation = new ScheduleSimulation(daily(2), '2026-11-02T01:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', takes: 0 }];
      return simulation
        .pass(62 * MINUTE)
        .setClock(-DAY)
        .pass(20 * MINUTE);
    },
    ['11-02 02:00 schedule', '11-01 02:07 schedule'],
  ],
  [
    'a waking in a future that was none',
    () =>
      new ScheduleSimulation(daily(2), '2026-11-02T01:00Z', 'UTC')
        .setClock(DAY / 2)
        .setClock(-DAY / 2)
        .pass(2 * HOUR),
    ['11-02 02:00 schedule'],
  ],
];

const savings: readonly Story[] = [
  [
    'Berlin: 02:30 that does not exist runs once, at the end of the gap',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: 02:30 that comes twice runs once',
    () => new ScheduleSimulation(daily(2, 30), '2026-10-24T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['10-25 00:30 schedule', '10-26 01:30 schedule'],
  ],
  [
    'Berlin: asleep from one 02:30 to beyond the other',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin')
        .gap('asleep', 2 * HOUR)
        .pass(20 * HOUR),
    ['10-25 02:20 missed (asleep)'],
  ],
  [
    'Berlin: awake again between one 02:30 and the other',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin')
        .gap('asleep', 30 * MINUTE)
        .pass(20 * HOUR),
    ['10-25 00:50 missed (asleep)'],
  ],
  [
    'New York: both',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-07T12:00Z', 'America/New_York').pass(2 * DAY),
    ['03-08 07:00 schedule', '03-09 06:30 schedule'],
  ],
  [
    'Kolkata has none',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-28T12:00Z', 'Asia/Kolkata').pass(2 * DAY),
    ['03-28 21:00 schedule', '03-29 21:00 schedule'],
  ],
  [
    'Apia: a day that never was',
    () => new ScheduleSimulation(daily(12), '2011-12-28T23:00Z', 'Pacific/Apia').pass(2 * DAY),
    ['12-29 22:00 schedule', '12-30 22:00 schedule'],
  ],
  [
    'Lord Howe: half an hour',
    () => new ScheduleSimulation(daily(2, 15), '2026-10-03T00:00Z', 'Australia/Lord_Howe').pass(2 * DAY),
    ['10-03 15:30 schedule', '10-04 15:15 schedule'],
  ],
  [
    'Berlin: a weekly 02:30 on the Sunday of the gap, and by cron',
    () =>
      new ScheduleSimulation({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-03-28T12:00Z', 'Europe/Berlin').pass(
        8 * DAY,
      ),
    ['03-29 01:00 schedule', '04-05 00:30 schedule'],
  ],
  [
    'Berlin: by cron, over the gap',
    () => new ScheduleSimulation(cron('30 2 * * *'), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: a weekly 02:30 that comes twice',
    () =>
      new ScheduleSimulation({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-10-24T12:00Z', 'Europe/Berlin').pass(
        8 * DAY,
      ),
    ['10-25 00:30 schedule', '11-01 01:30 schedule'],
  ],
  [
    'Berlin: every hour by cron, in each hour that passes',
    () => new ScheduleSimulation(cron('0 * * * *'), '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR),
    ['10-25 00:00 schedule', '10-25 01:00 schedule', '10-25 02:00 schedule', '10-25 03:00 schedule'],
  ],
  [
    'Berlin: every half hour by cron, over the gap',
    () => new ScheduleSimulation(cron('*/30 * * * *'), '2026-03-29T00:15Z', 'Europe/Berlin').pass(HOUR + 20 * MINUTE),
    ['03-29 00:30 schedule', '03-29 01:00 schedule', '03-29 01:30 schedule'],
  ],
  [
    'Cairo: a midnight that does not exist',
    () => new ScheduleSimulation(daily(0), '2026-04-22T12:00Z', 'Africa/Cairo').pass(3 * DAY),
    ['04-22 22:00 schedule', '04-23 22:00 schedule', '04-24 21:00 schedule'],
  ],
  [
    'Berlin: a pause over the gap is followed by one run',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-03-28T23:00Z', 'Europe/Berlin');
      simulation.facts = { pause: { since: simulation.now, until: Date.parse('2026-03-29T06:00Z') } };
      simulation.until('2026-03-29T06:00Z');
      simulation.facts = {};
      return simulation.pass(HOUR);
    },
    ['03-29 06:00 schedule (waited: paused)'],
  ],
  [
    'an interval passes through all of it',
    () => new ScheduleSimulation(hourly, '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR + MINUTE),
    ['10-25 00:30 schedule', '10-25 01:30 schedule', '10-25 02:30 schedule', '10-25 03:30 schedule'],
  ],
];

describe.each([
  ['a clock that is set', clocks],
  ['daylight saving', savings],
])('%s', (_, stories) => {
  test.each(stories)('%s', (_name, simulation, runs) => {
    expect(told(simulation())).toEqual(runs);
  });
});
