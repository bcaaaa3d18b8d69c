import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/base/failure.ts';
import type { Schedule } from '../../../src/engine/schedule/schedule.ts';
import { cron, daily, hourly, told, type Story } from './stories.ts';
import { DAY, HOUR, MINUTE, NO_READINGS, SECOND, World } from './world.ts';

const everyHalfHour: Schedule = { kind: 'every', minutes: 30 };
const onChange: Schedule = { kind: 'on-change', quietMinutes: 10 };

const ON_BATTERY = { ...NO_READINGS, power: { onBattery: true, percent: 31 } };
const failure = (code: Failure['code']) => ({ code, details: {} }) as Failure;

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
    'a disk that was unplugged in the middle, and is back half a minute later',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'failed', failure: failure('destination_missing'), takes: 0 }];
      return world.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 02:01 schedule'],
  ],
  [
    'a disk that was unplugged in the middle is not tried without it, and goes on when it is back',
    () => {
      const world = new World(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      world.plans = [{ outcome: 'failed', failure: failure('destination_missing'), takes: 0 }];
      world.until('2026-11-02T02:00:10Z');
      world.facts = { absentPlace: '/media/disk' };
      world.until('2026-11-02T02:47Z');
      world.facts = {};
      return world.pass(HOUR);
    },
    ['11-02 02:00 schedule', '11-02 02:47 schedule'],
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
  ['on change', changes],
])('%s', (_, stories) => {
  test.each(stories)('%s', (_name, world, runs) => {
    expect(told(world())).toEqual(runs);
  });
});
