import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/base/failure.ts';
import type { Schedule } from '../../../src/engine/schedule/schedule.ts';
import { cron, daily, hourly, told, type Story } from './stories.ts';
import { DAY, HOUR, MINUTE, NO_READINGS, SECOND, ScheduleSimulation } from './schedule-simulation.ts';

const everyHalfHour: Schedule = { kind: 'every', minutes: 30 };
const onChange: Schedule = { kind: 'on-change', quietMinutes: 10 };

const ON_BATTERY = { ...NO_READINGS, power: { onBattery: true, percent: 31 } };
const failure = (code: Failure['code']) => ({ code, details: {} }) as Failure;

const simple: readonly Story[] = [
  [
    'manual never runs',
    () => new ScheduleSimulation({ kind: 'manual' }, '2026-11-02T00:00Z', 'UTC').pass(30 * DAY),
    [],
  ],
  [
    'daily runs once a day',
    () => new ScheduleSimulation(daily(18, 30), '2026-11-02T00:00Z', 'UTC').pass(2 * DAY),
    ['11-02 18:30 schedule', '11-03 18:30 schedule'],
  ],
  [
    'weekdays pass over the weekend',
    () =>
      new ScheduleSimulation(
        { kind: 'weekly', days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], at: 720 },
        '2026-11-06T00:00Z',
        'UTC',
      ).pass(4 * DAY),
    ['11-06 12:00 schedule', '11-09 12:00 schedule'],
  ],
  [
    'weekly on a Sunday',
    () =>
      new ScheduleSimulation({ kind: 'weekly', days: ['sunday'], at: 60 }, '2026-11-02T00:00Z', 'UTC').pass(14 * DAY),
    ['11-08 01:00 schedule', '11-15 01:00 schedule'],
  ],
  [
    'hourly counts from the start of the last run',
    () => new ScheduleSimulation(hourly, '2026-11-02T00:10Z', 'UTC').pass(3 * HOUR + MINUTE),
    ['11-02 01:10 schedule', '11-02 02:10 schedule', '11-02 03:10 schedule'],
  ],
  [
    'cron',
    () => new ScheduleSimulation(cron('15 8-10 * * *'), '2026-11-02T00:00Z', 'UTC').pass(DAY),
    ['11-02 08:15 schedule', '11-02 09:15 schedule', '11-02 10:15 schedule'],
  ],
];

const missed: readonly Story[] = [
  [
    'a moment that was slept through: once, after waking, within a minute',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC')
        .gapUntil('asleep', '2026-11-02T08:00Z')
        .pass(12 * HOUR),
    ['11-02 08:00 missed (asleep)'],
  ],
  [
    'a moment when the computer was off',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC')
        .gapUntil('off', '2026-11-02T08:00Z')
        .pass(12 * HOUR),
    ['11-02 08:00 missed (off)'],
  ],
  [
    'seven moments in a week away are one',
    () => new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 7 * DAY).pass(DAY),
    ['11-09 00:00 missed (asleep)', '11-09 02:30 schedule'],
  ],
  [
    'a night of hours is one',
    () =>
      new ScheduleSimulation(hourly, '2026-11-02T22:00Z', 'UTC')
        .pass(MINUTE)
        .gap('asleep', 9 * HOUR)
        .pass(2 * HOUR + MINUTE),
    ['11-03 07:01 missed (asleep)', '11-03 08:01 schedule', '11-03 09:01 schedule'],
  ],
  [
    'short naps around the moment',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T02:29Z', 'UTC')
        .gap('asleep', 3 * MINUTE)
        .pass(5 * SECOND)
        .gap('asleep', 5 * MINUTE)
        .pass(HOUR),
    ['11-02 02:37 missed (asleep)'],
  ],
  [
    'no moment was slept through',
    () => new ScheduleSimulation(daily(2, 30), '2026-11-02T03:00Z', 'UTC').gap('asleep', 5 * HOUR).pass(HOUR),
    [],
  ],
  [
    'a missed moment that is served shortly before the next one serves both',
    () =>
      new ScheduleSimulation(daily(8, 30), '2026-11-02T08:00Z', 'UTC')
        .gapUntil('asleep', '2026-11-03T08:20Z')
        .pass(DAY),
    ['11-03 08:20 missed (asleep)'],
  ],
  [
    'asleep for longer than it waited',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gapUntil(
        'asleep',
        '2026-11-02T08:00Z',
      );
      simulation.facts = { conditions: { onlyOnMains: true }, readings: ON_BATTERY };
      simulation.pass(HOUR);
      simulation.facts = {};
      return simulation.pass(HOUR);
    },
    ['11-02 09:00 missed (asleep)'],
  ],
];

const waits: readonly Story[] = [
  [
    'a run waits for the mains',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      simulation.facts = { conditions: { onlyOnMains: true }, readings: ON_BATTERY };
      simulation.until('2026-11-02T04:00Z');
      simulation.facts = {};
      return simulation.pass(DAY);
    },
    ['11-02 04:00 schedule (waited: battery)', '11-03 02:30 schedule'],
  ],
  [
    'the reason that took longest is told',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      simulation.facts = { absentLocation: '/media/disk' };
      simulation.until('2026-11-02T04:00Z');
      simulation.facts = { running: { set: 'pictures', isThis: false, since: 0, trigger: 'person' } };
      simulation.pass(2 * MINUTE);
      simulation.facts = {};
      return simulation.pass(HOUR);
    },
    ['11-02 04:02 schedule (waited: destination)'],
  ],
  [
    'another run and another process are told as busy',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC');
      simulation.facts = { busy: { holder: 'backup documents' } };
      simulation.until('2026-11-02T03:00Z');
      simulation.facts = {};
      return simulation.pass(HOUR);
    },
    ['11-02 03:00 schedule (busy: busy)'],
  ],
  [
    'a pause over three moments is followed by one run',
    () => {
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC');
      simulation.facts = { pause: { since: simulation.now } };
      simulation.pass(3 * HOUR + MINUTE);
      simulation.facts = {};
      return simulation.pass(30 * MINUTE);
    },
    ['11-02 03:01 schedule (waited: paused)'],
  ],
  [
    'a run that takes longer than the interval is followed by another, after a rest',
    () => {
      const simulation = new ScheduleSimulation(everyHalfHour, '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ takes: 2 * HOUR }];
      return simulation.pass(2 * HOUR + 40 * MINUTE);
    },
    ['11-02 00:30 schedule', '11-02 02:35 schedule'],
  ],
];

const failures: readonly Story[] = [
  [
    'a failed run is tried again after 5, 15 and 60 minutes, then every four hours',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = Array.from({ length: 5 }, () => ({
        outcome: 'failed',
        failure: failure('service_unreachable'),
        takes: 0,
      }));
      return simulation.pass(DAY);
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
      const simulation = new ScheduleSimulation(cron('*/10 * * * *'), '2026-11-02T00:00Z', 'UTC');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      simulation.plans = [failed, failed, failed];
      return simulation.pass(100 * MINUTE);
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
      const simulation = new ScheduleSimulation(cron('0 2,8 * * *'), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = Array.from({ length: 5 }, () => ({ outcome: 'failed', takes: 0 }));
      return simulation.pass(26 * HOUR);
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
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC');
      simulation.plans = Array.from({ length: 5 }, () => ({ outcome: 'failed', takes: 0 }));
      return simulation.pass(6 * HOUR);
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
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC').until('2026-11-02T01:59:59Z');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      simulation.plans = Array.from({ length: 100 }, () => failed);
      for (let times = 0; times < 65; times += 1) {
        simulation.facts = { networkSince: simulation.now };
        simulation.pass(20 * SECOND);
      }
      return simulation;
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
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      const failed = { outcome: 'failed', failure: failure('service_unreachable'), takes: 0 } as const;
      simulation.plans = [failed, failed, failed];
      simulation.until('2026-11-02T02:30Z');
      simulation.facts = { networkSince: simulation.now };
      return simulation.pass(HOUR);
    },
    ['11-02 02:00 schedule', '11-02 02:05 schedule', '11-02 02:20 schedule', '11-02 02:30 schedule'],
  ],
  [
    'a disk that was unplugged in the middle, and is back half a minute later',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', failure: failure('destination_missing'), takes: 0 }];
      return simulation.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 02:01 schedule'],
  ],
  [
    'a disk that was unplugged in the middle is not tried without it, and goes on when it is back',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', failure: failure('destination_missing'), takes: 0 }];
      simulation.until('2026-11-02T02:00:10Z');
      simulation.facts = { absentLocation: '/media/disk' };
      simulation.until('2026-11-02T02:47Z');
      simulation.facts = {};
      return simulation.pass(HOUR);
    },
    ['11-02 02:00 schedule', '11-02 02:47 schedule'],
  ],
  [
    'what was cut off goes on soon',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'interrupted', takes: HOUR }];
      return simulation.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 03:00 resume'],
  ],
  [
    'what a person stopped is not begun again before the next moment',
    () => {
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'cancelled', takes: 3 * HOUR }];
      return simulation.pass(5 * HOUR + MINUTE);
    },
    ['11-02 01:00 schedule', '11-02 05:00 schedule'],
  ],
  [
    "a person's run that failed is tried again",
    () => {
      const simulation = new ScheduleSimulation(daily(18), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', failure: failure('destination_full'), takes: 0 }];
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 00:00 person', '11-02 00:05 schedule'],
  ],
  [
    "a manual set's run that failed is left to the person",
    () => {
      const simulation = new ScheduleSimulation({ kind: 'manual' }, '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', takes: 0 }];
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 00:00 person'],
  ],
];

const persons: readonly Story[] = [
  [
    'ten minutes before the moment: serves it',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T18:20Z', 'UTC');
      simulation.run();
      return simulation.pass(DAY);
    },
    ['11-02 18:20 person'],
  ],
  [
    'three hours before the moment: does not',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T15:30Z', 'UTC');
      simulation.run();
      return simulation.pass(4 * HOUR);
    },
    ['11-02 15:30 person', '11-02 18:30 schedule'],
  ],
  [
    'an hourly one counts from it',
    () => {
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC').pass(40 * MINUTE);
      simulation.run();
      return simulation.pass(HOUR + MINUTE);
    },
    ['11-02 00:40 person', '11-02 01:40 schedule'],
  ],
  [
    'over the moment, begun well before it: a run follows',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T16:00Z', 'UTC');
      simulation.plans = [{ takes: 3 * HOUR }];
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 16:00 person', '11-02 19:00 schedule (busy)'],
  ],
  [
    'right after waking, before the missed one: serves it',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 8 * HOUR);
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 08:00 person'],
  ],
];

/** A set that was backed up already. */
function watched(): ScheduleSimulation {
  const simulation = new ScheduleSimulation(onChange, '2026-11-02T00:00Z', 'UTC');
  simulation.run();
  simulation.runs.length = 0;
  return simulation.pass(0);
}

const changes: readonly Story[] = [
  [
    'without any backup, the first one does not wait for a change',
    () => new ScheduleSimulation(onChange, '2026-11-02T00:00Z', 'UTC').pass(HOUR),
    ['11-02 00:10 schedule'],
  ],
  ['nothing changes: once a day', () => watched().pass(2 * DAY), ['11-03 00:00 schedule', '11-04 00:00 schedule']],
  ['a change', () => watched().pass(HOUR).change().pass(HOUR), ['11-02 01:10 change']],
  [
    'changes that come to rest are one run',
    () => {
      const simulation = watched().pass(HOUR);
      for (let times = 0; times < 5; times += 1) simulation.change().pass(4 * MINUTE);
      return simulation.pass(HOUR);
    },
    ['11-02 01:26 change'],
  ],
  [
    'changes that never come to rest are backed up every six quiet times',
    () => {
      const simulation = watched().pass(HOUR);
      for (let times = 0; times < 61; times += 1) simulation.change().pass(2 * MINUTE);
      return simulation;
    },
    ['11-02 02:00 change', '11-02 03:00 change'],
  ],
  [
    'changes during a run are for the next one',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [{ takes: 5 * MINUTE }];
      simulation.pass(10 * MINUTE);
      return simulation.change().pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:25 change'],
  ],
  [
    'a folder that never rests, and takes longer than six quiet times: the next run waits as long as the first did',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [
        { takes: 2 * HOUR, changing: true },
        { takes: 2 * HOUR, changing: true },
      ];
      simulation.pass(10 * MINUTE);
      for (let times = 0; times < 62; times += 1) simulation.change().pass(MINUTE);
      return simulation;
    },
    ['11-02 01:10 change', '11-02 04:10 change'],
  ],
  [
    'changes are kept over a run that failed',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [{ takes: 0, outcome: 'failed' }];
      return simulation.pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:15 change'],
  ],
  [
    'changes are kept over a run that a person stopped, for an hour',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [{ takes: 0, outcome: 'cancelled' }];
      return simulation.pass(HOUR).change().pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 02:10 change'],
  ],
  [
    'runs every quarter of an hour when some changes are not reported',
    () => {
      const simulation = watched();
      simulation.facts = { isPartial: true };
      return simulation.pass(31 * MINUTE);
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
  test.each(stories)('%s', (_name, simulation, runs) => {
    expect(told(simulation())).toEqual(runs);
  });
});
