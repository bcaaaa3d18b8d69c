import { describe, expect, test } from 'vitest';
import { cron, daily, hourly, runsOf, type Story } from './stories.ts';
import { DAY, HOUR, MINUTE, SECOND, ScheduleSimulation } from './schedule-simulation.ts';

const clocks: readonly Story[] = [
  [
    'runs once when the clock is set forward over the moment',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(HOUR)
        .pass(DAY - HOUR),
    ['11-02 19:01 missed (asleep)'],
  ],
  [
    'does not repeat a run when the clock is set back after it',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(40 * MINUTE)
        .setClock(-HOUR)
        .pass(23 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'runs once when the clock is repeatedly set back by seconds at the moment',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T18:29Z', 'UTC');
      for (let times = 0; times < 20; times += 1) simulation.pass(10 * SECOND).setClock(-7 * SECOND);
      return simulation.pass(HOUR);
    },
    ['11-02 18:30 schedule'],
  ],
  [
    'runs once, at its moment, when the clock is set back by hours before it',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(10 * MINUTE)
        .setClock(-5 * HOUR)
        .pass(7 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'continues with the next moment of the new time when the clock is set back by days after a run',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-12T18:00Z', 'UTC')
        .pass(HOUR)
        .setClock(-10 * DAY)
        .pass(DAY),
    ['11-12 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'runs once when the clock is set forward by days over several moments',
    () =>
      new ScheduleSimulation(daily(18, 30), '2026-11-02T12:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(10 * DAY)
        .pass(5 * HOUR),
    ['11-12 12:01 missed (asleep)'],
  ],
  [
    'runs once when the clock starts in 1970, as without a battery, and is corrected soon',
    () => new ScheduleSimulation(daily(18, 30), 0, 'UTC').setClock(Date.parse('2026-11-02T12:00Z')).pass(DAY),
    ['11-02 12:00 missed (asleep)', '11-02 18:30 schedule'],
  ],
  [
    'continues when the clock was a year ahead and is corrected',
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
    'keeps an interval when the clock is set back by a day',
    () =>
      new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC')
        .pass(90 * MINUTE)
        .setClock(-DAY)
        .pass(2 * HOUR + MINUTE),
    ['11-02 01:00 schedule', '11-01 02:30 schedule', '11-01 03:30 schedule'],
  ],
  [
    'keeps the delay of a retry when the clock is set back by a day',
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
    'runs after waking in a wrong future that is corrected',
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
    'Berlin: runs once, at the end of the gap, when 02:30 does not exist',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: runs once when 02:30 occurs twice',
    () => new ScheduleSimulation(daily(2, 30), '2026-10-24T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['10-25 00:30 schedule', '10-26 01:30 schedule'],
  ],
  [
    'Berlin: runs once after sleep from the first 02:30 until after the second',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin')
        .gap('asleep', 2 * HOUR)
        .pass(20 * HOUR),
    ['10-25 02:20 missed (asleep)'],
  ],
  [
    'Berlin: runs once after waking between the two 02:30',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin')
        .gap('asleep', 30 * MINUTE)
        .pass(20 * HOUR),
    ['10-25 00:50 missed (asleep)'],
  ],
  [
    'New York: runs once at each change',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-07T12:00Z', 'America/New_York').pass(2 * DAY),
    ['03-08 07:00 schedule', '03-09 06:30 schedule'],
  ],
  [
    'Kolkata: has no changes',
    () => new ScheduleSimulation(daily(2, 30), '2026-03-28T12:00Z', 'Asia/Kolkata').pass(2 * DAY),
    ['03-28 21:00 schedule', '03-29 21:00 schedule'],
  ],
  [
    'Apia: skips the day that does not exist',
    () => new ScheduleSimulation(daily(12), '2011-12-28T23:00Z', 'Pacific/Apia').pass(2 * DAY),
    ['12-29 22:00 schedule', '12-30 22:00 schedule'],
  ],
  [
    'Lord Howe: has a change of half an hour',
    () => new ScheduleSimulation(daily(2, 15), '2026-10-03T00:00Z', 'Australia/Lord_Howe').pass(2 * DAY),
    ['10-03 15:30 schedule', '10-04 15:15 schedule'],
  ],
  [
    'Berlin: runs a weekly 02:30 once on the Sunday of the gap',
    () =>
      new ScheduleSimulation({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-03-28T12:00Z', 'Europe/Berlin').pass(
        8 * DAY,
      ),
    ['03-29 01:00 schedule', '04-05 00:30 schedule'],
  ],
  [
    'Berlin: runs a cron schedule at the end of the gap',
    () => new ScheduleSimulation(cron('30 2 * * *'), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: runs a weekly 02:30 once when it occurs twice',
    () =>
      new ScheduleSimulation({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-10-24T12:00Z', 'Europe/Berlin').pass(
        8 * DAY,
      ),
    ['10-25 00:30 schedule', '11-01 01:30 schedule'],
  ],
  [
    'Berlin: runs an hourly cron schedule in each elapsed hour',
    () => new ScheduleSimulation(cron('0 * * * *'), '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR),
    ['10-25 00:00 schedule', '10-25 01:00 schedule', '10-25 02:00 schedule', '10-25 03:00 schedule'],
  ],
  [
    'Berlin: runs a half-hourly cron schedule across the gap',
    () => new ScheduleSimulation(cron('*/30 * * * *'), '2026-03-29T00:15Z', 'Europe/Berlin').pass(HOUR + 20 * MINUTE),
    ['03-29 00:30 schedule', '03-29 01:00 schedule', '03-29 01:30 schedule'],
  ],
  [
    'Cairo: runs once when midnight does not exist',
    () => new ScheduleSimulation(daily(0), '2026-04-22T12:00Z', 'Africa/Cairo').pass(3 * DAY),
    ['04-22 22:00 schedule', '04-23 22:00 schedule', '04-24 21:00 schedule'],
  ],
  [
    'Berlin: runs once after a pause over the gap',
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
    'keeps an interval across the change',
    () => new ScheduleSimulation(hourly, '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR + MINUTE),
    ['10-25 00:30 schedule', '10-25 01:30 schedule', '10-25 02:30 schedule', '10-25 03:30 schedule'],
  ],
];

describe.each([
  ['a clock that is set', clocks],
  ['daylight saving', savings],
])('%s', (_, stories) => {
  test.each(stories)('%s', (_name, simulation, runs) => {
    expect(runsOf(simulation())).toEqual(runs);
  });
});
