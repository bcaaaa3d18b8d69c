import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../../src/engine/schedule/schedule.ts';
import { DAY, HOUR, MINUTE, NO_READINGS, SECOND, World } from './world.ts';

const daily = (hour: number, minute = 0): Schedule => ({ kind: 'daily', at: hour * 60 + minute });
const hourly: Schedule = { kind: 'every', minutes: 60 };
const everyHalfHour: Schedule = { kind: 'every', minutes: 30 };
const cron = (expression: string): Schedule => ({ kind: 'cron', expression });
const onChange: Schedule = { kind: 'on-change', quietMinutes: 10 };

const ON_BATTERY = { ...NO_READINGS, power: { onBattery: true, percent: 31 } };
const failure = (code: string) => ({ code, details: {} });

/** What became of it, by the clock in UTC: `11-02 18:30 schedule`, with `(asleep)` or `(waited: battery)` where it was late. */
function told(world: World): readonly string[] {
  return world.runs.map(({ at, trigger, lateBy, waitedFor }) => {
    const late = lateBy === undefined ? '' : ` (${lateBy}${waitedFor === undefined ? '' : `: ${waitedFor}`})`;
    return `${new Date(at).toISOString().slice(5, 16).replace('T', ' ')} ${trigger}${late}`;
  });
}

type Story = readonly [name: string, world: () => World, runs: readonly string[]];

const simple: readonly Story[] = [
  ['manual never runs', () => new World({ kind: 'manual' }, '2026-11-02T00:00Z', 'UTC').pass(30 * DAY), []],
  [
    'daily runs once a day',
    () => new World(daily(18, 30), '2026-11-02T00:00Z', 'UTC').pass(2 * DAY),
    ['11-02 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'weekdays pass over the weekend',
    () =>
      new World(
        { kind: 'weekly', days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], at: 720 },
        '2026-11-06T00:00Z',
        'UTC',
      ).pass(4 * DAY),
    ['11-06 12:00 schedule', '11-09 12:00 schedule'],
  ],
  [
    'weekly on a Sunday',
    () => new World({ kind: 'weekly', days: ['sunday'], at: 60 }, '2026-11-02T00:00Z', 'UTC').pass(14 * DAY),
    ['11-08 01:00 schedule', '11-15 01:00 schedule'],
  ],
  [
    'hourly counts from the start of the last run',
    () => new World(hourly, '2026-11-02T00:10Z', 'UTC').pass(3 * HOUR + MINUTE),
    ['11-02 01:10 schedule', '11-02 02:10 schedule', '11-02 03:10 schedule'],
  ],
  [
    'cron',
    () => new World(cron('15 8-10 * * *'), '2026-11-02T00:00Z', 'UTC').pass(DAY),
    ['11-02 08:15 schedule', '11-02 09:15 schedule', '11-02 10:15 schedule'],
  ],
];

const missed: readonly Story[] = [
  [
    'a moment that was slept through: once, after waking, within a minute',
    () => new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gapUntil('asleep', '2026-11-02T08:00Z').pass(12 * HOUR),
    ['11-02 08:00 missed (asleep)'],
  ],
  [
    'a moment when the computer was off',
    () => new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gapUntil('off', '2026-11-02T08:00Z').pass(12 * HOUR),
    ['11-02 08:00 missed (off)'],
  ],
  [
    'seven moments in a week away are one',
    () => new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 7 * DAY).pass(DAY),
    ['11-09 00:00 missed (asleep)', '11-09 02:30 schedule'],
  ],
  [
    'a night of hours is one',
    () =>
      new World(hourly, '2026-11-02T22:00Z', 'UTC')
        .pass(MINUTE)
        .gap('asleep', 9 * HOUR)
        .pass(2 * HOUR + MINUTE),
    ['11-03 07:01 missed (asleep)', '11-03 08:01 schedule', '11-03 09:01 schedule'],
  ],
  [
    'short naps around the moment',
    () =>
      new World(daily(2, 30), '2026-11-02T02:29Z', 'UTC')
        .gap('asleep', 3 * MINUTE)
        .pass(5 * SECOND)
        .gap('asleep', 5 * MINUTE)
        .pass(HOUR),
    ['11-02 02:37 missed (asleep)'],
  ],
  [
    'no moment was slept through',
    () => new World(daily(2, 30), '2026-11-02T03:00Z', 'UTC').gap('asleep', 5 * HOUR).pass(HOUR),
    [],
  ],
  [
    'a missed moment that is served shortly before the next one serves both',
    () => new World(daily(8, 30), '2026-11-02T08:00Z', 'UTC').gapUntil('asleep', '2026-11-03T08:20Z').pass(DAY),
    ['11-03 08:20 missed (asleep)'],
  ],
  [
    'asleep for longer than it waited',
    () => {
      const world = new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gapUntil('asleep', '2026-11-02T08:00Z');
      world.facts = { conditions: { onlyOnMains: true }, readings: ON_BATTERY };
      world.pass(HOUR);
      world.facts = {};
      return world.pass(HOUR);
    },
    ['11-02 09:00 missed (asleep)'],
  ],
];

const waits: readonly Story[] = [
  [
    'a run waits for the mains',
    () => {
      const world = new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      world.facts = { conditions: { onlyOnMains: true }, readings: ON_BATTERY };
      world.until('2026-11-02T04:00Z');
      world.facts = {};
      return world.pass(DAY);
    },
    ['11-02 04:00 schedule (waited: battery)', '11-03 02:30 schedule'],
  ],
  [
    'the reason that took longest is told',
    () => {
      const world = new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      world.facts = { absentPlace: '/media/disk' };
      world.until('2026-11-02T04:00Z');
      world.facts = { running: { set: 'pictures', isThis: false, since: 0, trigger: 'person' } };
      world.pass(2 * MINUTE);
      world.facts = {};
      return world.pass(HOUR);
    },
    ['11-02 04:02 schedule (waited: destination)'],
  ],
  [
    'another run and another process are told as busy',
    () => {
      const world = new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      world.facts = { busy: { holder: 'backup documents' } };
      world.until('2026-11-02T03:00Z');
      world.facts = {};
      return world.pass(HOUR);
    },
    ['11-02 03:00 schedule (busy: busy)'],
  ],
  [
    'a pause over three moments is followed by one run',
    () => {
      const world = new World(hourly, '2026-11-02T00:00Z', 'UTC');
      world.facts = { pause: { since: world.now } };
      world.pass(3 * HOUR + MINUTE);
      world.facts = {};
      return world.pass(30 * MINUTE);
    },
    ['11-02 03:01 schedule (waited: paused)'],
  ],
  [
    'a run that takes longer than the interval is followed by another, after a rest',
    () => {
      const world = new World(everyHalfHour, '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ takes: 2 * HOUR }];
      return world.pass(2 * HOUR + 40 * MINUTE);
    },
    ['11-02 00:30 schedule', '11-02 02:35 schedule'],
  ],
];

const failures: readonly Story[] = [
  [
    'a failed run is tried again after 5, 15 and 60 minutes, then every four hours',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      world.plans = Array.from({ length: 5 }, () => ({
        outcome: 'failed',
        failure: failure('service_unreachable'),
        takes: 0,
      }));
      return world.pass(DAY);
    },
    [
      '11-02 02:00 schedule',
      '11-02 02:05 schedule',
      '11-02 02:20 schedule',
      '11-02 03:20 schedule',
      '11-02 07:20 schedule',
      '11-02 11:20 schedule',
    ],
  ],
  [
    'moments while it is tried again do not double it',
    () => {
      const world = new World(cron('*/10 * * * *'), '2026-11-02T00:00Z', 'UTC');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      world.plans = [failed, failed, failed];
      return world.pass(100 * MINUTE);
    },
    [
      '11-02 00:10 schedule',
      '11-02 00:15 schedule',
      '11-02 00:30 schedule',
      '11-02 01:30 schedule',
      '11-02 01:40 schedule',
    ],
  ],
  [
    'a moment brings the next try forward, to an hour after the last at the soonest',
    () => {
      const world = new World(cron('0 2,8 * * *'), '2026-11-02T00:00Z', 'UTC');
      world.plans = Array.from({ length: 5 }, () => ({ outcome: 'failed', takes: 0 }));
      return world.pass(26 * HOUR);
    },
    [
      '11-02 02:00 schedule',
      '11-02 02:05 schedule',
      '11-02 02:20 schedule',
      '11-02 03:20 schedule',
      '11-02 07:20 schedule',
      '11-02 08:20 schedule',
      '11-03 02:00 schedule',
    ],
  ],
  [
    'an hourly one is tried every hour, and not only every four',
    () => {
      const world = new World(hourly, '2026-11-02T00:00Z', 'UTC');
      world.plans = Array.from({ length: 5 }, () => ({ outcome: 'failed', takes: 0 }));
      return world.pass(6 * HOUR);
    },
    [
      '11-02 01:00 schedule',
      '11-02 01:05 schedule',
      '11-02 01:20 schedule',
      '11-02 02:20 schedule',
      '11-02 03:20 schedule',
      '11-02 04:20 schedule',
      '11-02 05:20 schedule',
    ],
  ],
  [
    'a network that comes and goes is no reason to try again every few seconds',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC').until('2026-11-02T01:59:59Z');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      world.plans = Array.from({ length: 100 }, () => failed);
      for (let times = 0; times < 65; times += 1) {
        world.facts = { networkSince: world.now };
        world.pass(20 * SECOND);
      }
      return world;
    },
    [
      '11-02 02:00 schedule',
      '11-02 02:01 schedule',
      '11-02 02:03 schedule',
      '11-02 02:06 schedule',
      '11-02 02:10 schedule',
      '11-02 02:15 schedule',
      '11-02 02:20 schedule',
    ],
  ],
  [
    'what failed without a network is tried again when one comes',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      world.plans = [failed, failed, failed];
      world.until('2026-11-02T02:30Z');
      world.facts = { networkSince: world.now };
      return world.pass(HOUR);
    },
    ['11-02 02:00 schedule', '11-02 02:05 schedule', '11-02 02:20 schedule', '11-02 02:30 schedule'],
  ],
  [
    'what was cut off goes on soon',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'interrupted', takes: HOUR }];
      return world.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 03:00 resume'],
  ],
  [
    'what a person stopped is not begun again before the next moment',
    () => {
      const world = new World(hourly, '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'cancelled', takes: 3 * HOUR }];
      return world.pass(5 * HOUR + MINUTE);
    },
    ['11-02 01:00 schedule', '11-02 05:00 schedule'],
  ],
  [
    "a person's run that failed is tried again",
    () => {
      const world = new World(daily(18), '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'failed', failure: failure('destination_full'), takes: 0 }];
      world.run();
      return world.pass(HOUR);
    },
    ['11-02 00:00 person', '11-02 00:05 schedule'],
  ],
  [
    "a manual set's run that failed is left to the person",
    () => {
      const world = new World({ kind: 'manual' }, '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'failed', takes: 0 }];
      world.run();
      return world.pass(HOUR);
    },
    ['11-02 00:00 person'],
  ],
];

const persons: readonly Story[] = [
  [
    'ten minutes before the moment: serves it',
    () => {
      const world = new World(daily(18, 30), '2026-11-02T18:20Z', 'UTC');
      world.run();
      return world.pass(DAY);
    },
    ['11-02 18:20 person'],
  ],
  [
    'three hours before the moment: does not',
    () => {
      const world = new World(daily(18, 30), '2026-11-02T15:30Z', 'UTC');
      world.run();
      return world.pass(4 * HOUR);
    },
    ['11-02 15:30 person', '11-02 18:30 schedule'],
  ],
  [
    'an hourly one counts from it',
    () => {
      const world = new World(hourly, '2026-11-02T00:00Z', 'UTC').pass(40 * MINUTE);
      world.run();
      return world.pass(HOUR + MINUTE);
    },
    ['11-02 00:40 person', '11-02 01:40 schedule'],
  ],
  [
    'over the moment, begun well before it: a run follows',
    () => {
      const world = new World(daily(18, 30), '2026-11-02T16:00Z', 'UTC');
      world.plans = [{ takes: 3 * HOUR }];
      world.run();
      return world.pass(HOUR);
    },
    ['11-02 16:00 person', '11-02 19:00 schedule (busy)'],
  ],
  [
    'right after waking, before the missed one: serves it',
    () => {
      const world = new World(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 8 * HOUR);
      world.run();
      return world.pass(HOUR);
    },
    ['11-02 08:00 person'],
  ],
];

const clocks: readonly Story[] = [
  [
    'set forward over the moment: once',
    () =>
      new World(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(HOUR)
        .pass(DAY - HOUR),
    ['11-02 19:01 missed (asleep)'],
  ],
  [
    'set back after the run: not again',
    () =>
      new World(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(40 * MINUTE)
        .setClock(-HOUR)
        .pass(23 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by seconds, again and again, at the moment',
    () => {
      const world = new World(daily(18, 30), '2026-11-02T18:29Z', 'UTC');
      for (let times = 0; times < 20; times += 1) world.pass(10 * SECOND).setClock(-7 * SECOND);
      return world.pass(HOUR);
    },
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by hours before the moment: once, when it comes',
    () =>
      new World(daily(18, 30), '2026-11-02T18:00Z', 'UTC')
        .pass(10 * MINUTE)
        .setClock(-5 * HOUR)
        .pass(7 * HOUR),
    ['11-02 18:30 schedule'],
  ],
  [
    'set back by days after the run: goes on with the next moment of the new time',
    () =>
      new World(daily(18, 30), '2026-11-12T18:00Z', 'UTC')
        .pass(HOUR)
        .setClock(-10 * DAY)
        .pass(DAY),
    ['11-12 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'set forward by days, over several moments: once',
    () =>
      new World(daily(18, 30), '2026-11-02T12:00Z', 'UTC')
        .pass(MINUTE)
        .setClock(10 * DAY)
        .pass(5 * HOUR),
    ['11-12 12:01 missed (asleep)'],
  ],
  [
    'begun with a clock of 1970, as without a battery, and set right soon after',
    () => new World(daily(18, 30), 0, 'UTC').setClock(Date.parse('2026-11-02T12:00Z')).pass(DAY),
    ['11-02 12:00 missed (asleep)', '11-02 18:30 schedule'],
  ],
  [
    'a year ahead by mistake, and corrected: goes on',
    () =>
      new World(daily(18, 30), '2026-11-02T12:00Z', 'UTC')
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
      new World(hourly, '2026-11-02T00:00Z', 'UTC')
        .pass(90 * MINUTE)
        .setClock(-DAY)
        .pass(2 * HOUR + MINUTE),
    ['11-02 01:00 schedule', '11-01 02:30 schedule', '11-01 03:30 schedule'],
  ],
  [
    'a wait for another try over a clock that is set back by a day',
    () => {
      const world = new World(daily(2), '2026-11-02T01:00Z', 'UTC');
      world.plans = [{ outcome: 'failed', takes: 0 }];
      return world
        .pass(62 * MINUTE)
        .setClock(-DAY)
        .pass(20 * MINUTE);
    },
    ['11-02 02:00 schedule', '11-01 02:07 schedule'],
  ],
  [
    'a waking in a future that was none',
    () =>
      new World(daily(2), '2026-11-02T01:00Z', 'UTC')
        .setClock(DAY / 2)
        .setClock(-DAY / 2)
        .pass(2 * HOUR),
    ['11-02 02:00 schedule'],
  ],
];

const savings: readonly Story[] = [
  [
    'Berlin: 02:30 that does not exist runs once, at the end of the gap',
    () => new World(daily(2, 30), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: 02:30 that comes twice runs once',
    () => new World(daily(2, 30), '2026-10-24T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['10-25 00:30 schedule', '10-26 01:30 schedule'],
  ],
  [
    'Berlin: asleep from one 02:30 to beyond the other',
    () => new World(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin').gap('asleep', 2 * HOUR).pass(20 * HOUR),
    ['10-25 02:20 missed (asleep)'],
  ],
  [
    'Berlin: awake again between one 02:30 and the other',
    () => new World(daily(2, 30), '2026-10-25T00:20Z', 'Europe/Berlin').gap('asleep', 30 * MINUTE).pass(20 * HOUR),
    ['10-25 00:50 missed (asleep)'],
  ],
  [
    'New York: both',
    () => new World(daily(2, 30), '2026-03-07T12:00Z', 'America/New_York').pass(2 * DAY),
    ['03-08 07:00 schedule', '03-09 06:30 schedule'],
  ],
  [
    'Kolkata has none',
    () => new World(daily(2, 30), '2026-03-28T12:00Z', 'Asia/Kolkata').pass(2 * DAY),
    ['03-28 21:00 schedule', '03-29 21:00 schedule'],
  ],
  [
    'Apia: a day that never was',
    () => new World(daily(12), '2011-12-28T23:00Z', 'Pacific/Apia').pass(2 * DAY),
    ['12-29 22:00 schedule', '12-30 22:00 schedule'],
  ],
  [
    'Lord Howe: half an hour',
    () => new World(daily(2, 15), '2026-10-03T00:00Z', 'Australia/Lord_Howe').pass(2 * DAY),
    ['10-03 15:30 schedule', '10-04 15:15 schedule'],
  ],
  [
    'Berlin: a weekly 02:30 on the Sunday of the gap, and by cron',
    () => new World({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-03-28T12:00Z', 'Europe/Berlin').pass(8 * DAY),
    ['03-29 01:00 schedule', '04-05 00:30 schedule'],
  ],
  [
    'Berlin: by cron, over the gap',
    () => new World(cron('30 2 * * *'), '2026-03-28T12:00Z', 'Europe/Berlin').pass(2 * DAY),
    ['03-29 01:00 schedule', '03-30 00:30 schedule'],
  ],
  [
    'Berlin: a weekly 02:30 that comes twice',
    () => new World({ kind: 'weekly', days: ['sunday'], at: 150 }, '2026-10-24T12:00Z', 'Europe/Berlin').pass(8 * DAY),
    ['10-25 00:30 schedule', '11-01 01:30 schedule'],
  ],
  [
    'Berlin: every hour by cron, in each hour that passes',
    () => new World(cron('0 * * * *'), '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR),
    ['10-25 00:00 schedule', '10-25 01:00 schedule', '10-25 02:00 schedule', '10-25 03:00 schedule'],
  ],
  [
    'Berlin: every half hour by cron, over the gap',
    () => new World(cron('*/30 * * * *'), '2026-03-29T00:15Z', 'Europe/Berlin').pass(HOUR + 20 * MINUTE),
    ['03-29 00:30 schedule', '03-29 01:00 schedule', '03-29 01:30 schedule'],
  ],
  [
    'Cairo: a midnight that does not exist',
    () => new World(daily(0), '2026-04-22T12:00Z', 'Africa/Cairo').pass(3 * DAY),
    ['04-22 22:00 schedule', '04-23 22:00 schedule', '04-24 21:00 schedule'],
  ],
  [
    'Berlin: a pause over the gap is followed by one run',
    () => {
      const world = new World(daily(2, 30), '2026-03-28T23:00Z', 'Europe/Berlin');
      world.facts = { pause: { since: world.now, until: Date.parse('2026-03-29T06:00Z') } };
      world.until('2026-03-29T06:00Z');
      world.facts = {};
      return world.pass(HOUR);
    },
    ['03-29 06:00 schedule (waited: paused)'],
  ],
  [
    'an interval passes through all of it',
    () => new World(hourly, '2026-10-24T23:30Z', 'Europe/Berlin').pass(4 * HOUR + MINUTE),
    ['10-25 00:30 schedule', '10-25 01:30 schedule', '10-25 02:30 schedule', '10-25 03:30 schedule'],
  ],
];

/** A set that was backed up already. */
function watched(): World {
  const world = new World(onChange, '2026-11-02T00:00Z', 'UTC');
  world.run();
  world.runs.length = 0;
  return world.pass(0);
}

const changes: readonly Story[] = [
  [
    'without any backup, the first one does not wait for a change',
    () => new World(onChange, '2026-11-02T00:00Z', 'UTC').pass(HOUR),
    ['11-02 00:10 schedule'],
  ],
  ['nothing changes: once a day', () => watched().pass(2 * DAY), ['11-03 00:00 schedule', '11-04 00:00 schedule']],
  ['a change', () => watched().pass(HOUR).change().pass(HOUR), ['11-02 01:10 change']],
  [
    'changes that come to rest are one run',
    () => {
      const world = watched().pass(HOUR);
      for (let times = 0; times < 5; times += 1) world.change().pass(4 * MINUTE);
      return world.pass(HOUR);
    },
    ['11-02 01:26 change'],
  ],
  [
    'changes that never come to rest are backed up every six quiet times',
    () => {
      const world = watched().pass(HOUR);
      for (let times = 0; times < 61; times += 1) world.change().pass(2 * MINUTE);
      return world;
    },
    ['11-02 02:00 change', '11-02 03:00 change'],
  ],
  [
    'changes during a run are for the next one',
    () => {
      const world = watched().pass(HOUR).change();
      world.plans = [{ takes: 5 * MINUTE }];
      world.pass(10 * MINUTE);
      return world.change().pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:25 change'],
  ],
  [
    'a folder that never rests, and takes longer than six quiet times: the next run waits as long as the first did',
    () => {
      const world = watched().pass(HOUR).change();
      world.plans = [
        { takes: 2 * HOUR, changing: true },
        { takes: 2 * HOUR, changing: true },
      ];
      world.pass(10 * MINUTE);
      for (let times = 0; times < 62; times += 1) world.change().pass(MINUTE);
      return world;
    },
    ['11-02 01:10 change', '11-02 04:10 change'],
  ],
  [
    'changes are kept over a run that failed',
    () => {
      const world = watched().pass(HOUR).change();
      world.plans = [{ takes: 0, outcome: 'failed' }];
      return world.pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:15 change'],
  ],
  [
    'changes are kept over a run that a person stopped, for an hour',
    () => {
      const world = watched().pass(HOUR).change();
      world.plans = [{ takes: 0, outcome: 'cancelled' }];
      return world.pass(HOUR).change().pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 02:10 change'],
  ],
  [
    'some go unheard: every quarter of an hour',
    () => {
      const world = watched();
      world.facts = { isPartial: true };
      return world.pass(31 * MINUTE);
    },
    ['11-02 00:15 schedule', '11-02 00:30 schedule'],
  ],
  [
    'quiet has come while it slept',
    () =>
      watched()
        .pass(HOUR)
        .change()
        .gap('asleep', 5 * HOUR)
        .pass(HOUR),
    ['11-02 06:00 change (asleep)'],
  ],
  [
    'a clock that is set back does not stretch the quiet time',
    () =>
      watched()
        .pass(HOUR)
        .change()
        .setClock(-12 * HOUR)
        .pass(HOUR),
    ['11-01 13:10 change'],
  ],
];

describe.each([
  ['schedules', simple],
  ['missed moments', missed],
  ['conditions', waits],
  ['failures', failures],
  ["a person's run", persons],
  ['a clock that is set', clocks],
  ['daylight saving', savings],
  ['on change', changes],
])('%s', (_, stories) => {
  test.each(stories)('%s', (_name, world, runs) => {
    expect(told(world())).toEqual(runs);
  });
});
