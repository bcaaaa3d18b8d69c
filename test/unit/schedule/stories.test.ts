import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/base/errors/failure.ts';
import type { Schedule } from '../../../src/model/schedule/schedule.ts';
import { cron, daily, hourly, runsOf, type Story } from './stories.ts';
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
    'weekdays skip the weekend',
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
    'serves a moment missed during sleep once, within a minute of waking',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC')
        .gapUntil('asleep', '2026-11-02T08:00Z')
        .pass(12 * HOUR),
    ['11-02 08:00 missed (asleep)'],
  ],
  [
    'serves a moment at which the computer was off',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC')
        .gapUntil('off', '2026-11-02T08:00Z')
        .pass(12 * HOUR),
    ['11-02 08:00 missed (off)'],
  ],
  [
    'serves seven moments missed in a week once',
    () => new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 7 * DAY).pass(DAY),
    ['11-09 00:00 missed (asleep)', '11-09 02:30 schedule'],
  ],
  [
    'serves the moments of a night once',
    () =>
      new ScheduleSimulation(hourly, '2026-11-02T22:00Z', 'UTC')
        .pass(MINUTE)
        .gap('asleep', 9 * HOUR)
        .pass(2 * HOUR + MINUTE),
    ['11-03 07:01 missed (asleep)', '11-03 08:01 schedule', '11-03 09:01 schedule'],
  ],
  [
    'serves a moment once between short naps',
    () =>
      new ScheduleSimulation(daily(2, 30), '2026-11-02T02:29Z', 'UTC')
        .gap('asleep', 3 * MINUTE)
        .pass(5 * SECOND)
        .gap('asleep', 5 * MINUTE)
        .pass(HOUR),
    ['11-02 02:37 missed (asleep)'],
  ],
  [
    'does not run when no moment was missed during sleep',
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
    'reports sleep when it took longer than the wait',
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
    'reports the longest reason for a delay',
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
    'reports another run and another process as busy',
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
    'a run longer than the interval is followed by another after a pause',
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
    'retries a failed run after 5, 15 and 60 minutes, then every four hours',
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
    'moments during retries cause no additional runs',
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
    'a moment brings the next retry forward, to an hour after the last at the earliest',
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
    'retries an hourly set every hour, not only every four',
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
    'an unstable network does not cause retries every few seconds',
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
    'retries a run that failed without a network when one is available',
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
    'retries when a disk unplugged during the run is back half a minute later',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'failed', failure: failure('destination_missing'), takes: 0 }];
      return simulation.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 02:01 schedule'],
  ],
  [
    'waits for a disk unplugged during the run, and continues when it is back',
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
    'resumes an interrupted run soon',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = [{ outcome: 'interrupted', takes: HOUR }];
      return simulation.pass(DAY);
    },
    ['11-02 02:00 schedule', '11-02 03:00 resume'],
  ],
  [
    'does not restart a run that a person stopped before the next moment',
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
    'an attempt of a person that fails does not postpone the next one',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      simulation.plans = Array.from({ length: 5 }, () => ({ outcome: 'failed', takes: 0 }));
      simulation.until('2026-11-02T02:10Z').run();
      return simulation.until('2026-11-02T04:00Z');
    },
    [
      '11-02 02:00 schedule',
      '11-02 02:05 schedule',
      '11-02 02:10 person',
      '11-02 02:20 schedule',
      '11-02 03:20 schedule',
    ],
  ],
  [
    'nor does one that lasts beyond it, which is made a minute later',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 0), '2026-11-02T00:00Z', 'UTC');
      const failed = { outcome: 'failed', takes: 0 } as const;
      simulation.plans = [failed, { outcome: 'failed', takes: 10 * MINUTE }];
      simulation.until('2026-11-02T02:04Z').run();
      return simulation.until('2026-11-02T04:00Z');
    },
    ['11-02 02:00 schedule', '11-02 02:04 person', '11-02 02:15 schedule'],
  ],
  [
    'nor the next moment of a schedule with many',
    () => {
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC');
      simulation.plans = Array.from({ length: 6 }, () => ({ outcome: 'failed', takes: 0 }));
      simulation.until('2026-11-02T03:00Z').run();
      return simulation.until('2026-11-02T04:30Z');
    },
    [
      '11-02 01:00 schedule',
      '11-02 01:05 schedule',
      '11-02 01:20 schedule',
      '11-02 02:20 schedule',
      '11-02 03:00 person',
      '11-02 03:20 schedule',
      '11-02 04:20 schedule',
    ],
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
    'an hourly schedule counts from it',
    () => {
      const simulation = new ScheduleSimulation(hourly, '2026-11-02T00:00Z', 'UTC').pass(40 * MINUTE);
      simulation.run();
      return simulation.pass(HOUR + MINUTE);
    },
    ['11-02 00:40 person', '11-02 01:40 schedule'],
  ],
  [
    'during the moment, begun long before it: is followed by a run',
    () => {
      const simulation = new ScheduleSimulation(daily(18, 30), '2026-11-02T16:00Z', 'UTC');
      simulation.plans = [{ takes: 3 * HOUR }];
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 16:00 person', '11-02 19:00 schedule (busy)'],
  ],
  [
    'right after waking, before the missed run: serves its moment',
    () => {
      const simulation = new ScheduleSimulation(daily(2, 30), '2026-11-02T00:00Z', 'UTC').gap('asleep', 8 * HOUR);
      simulation.run();
      return simulation.pass(HOUR);
    },
    ['11-02 08:00 person'],
  ],
];

/** A set with an earlier backup. */
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
    'one run follows changes that end',
    () => {
      const simulation = watched().pass(HOUR);
      for (let times = 0; times < 5; times += 1) simulation.change().pass(4 * MINUTE);
      return simulation.pass(HOUR);
    },
    ['11-02 01:26 change'],
  ],
  [
    'changes that never end are backed up every six quiet times',
    () => {
      const simulation = watched().pass(HOUR);
      for (let times = 0; times < 61; times += 1) simulation.change().pass(2 * MINUTE);
      return simulation;
    },
    ['11-02 02:00 change', '11-02 03:00 change'],
  ],
  [
    'changes during a run are for the next run',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [{ takes: 5 * MINUTE }];
      simulation.pass(10 * MINUTE);
      return simulation.change().pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:25 change'],
  ],
  [
    'when changes never end and a run takes longer than six quiet times, the next one waits as long as the first took',
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
    'changes are kept after a failed run',
    () => {
      const simulation = watched().pass(HOUR).change();
      simulation.plans = [{ takes: 0, outcome: 'failed' }];
      return simulation.pass(HOUR);
    },
    ['11-02 01:10 change', '11-02 01:15 change'],
  ],
  [
    'changes are kept for an hour after a person stopped a run',
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
    'runs after waking when the quiet time passed during sleep',
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
    expect(runsOf(simulation())).toEqual(runs);
  });
});
