import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/base/errors/failure.ts';
import { decide, type Facts, type Verdict } from '../../../src/schedule/decide.ts';
import type { Decision } from '../../../src/model/schedule/decision.ts';
import { decideVerification } from '../../../src/schedule/decide-verification.ts';
import type { Memory } from '../../../src/schedule/memory.ts';
import { DAY, HOUR, MINUTE, NO_READINGS, SECOND } from './schedule-simulation.ts';

/** Monday, 18:30. */
const MOMENT = Date.parse('2026-11-02T18:30Z');

const daily = { kind: 'daily', at: 18 * 60 + 30 } as const;
const onChange = { kind: 'on-change', quietMinutes: 10 } as const;

const failure = { code: 'service_unreachable', details: { address: 'https://backup.example.org' } } as const;

function remembering(schedule: Facts['schedule'], more: Partial<Memory> = {}): Memory {
  return { schedule: JSON.stringify(schedule), servedThrough: MOMENT - DAY, lastGoodAt: MOMENT - DAY, ...more };
}

/** A daily set that is due now; `facts` override the defaults. */
function facts(change: Partial<Facts> = {}): Facts {
  const { schedule = daily } = change;
  return {
    schedule,
    now: MOMENT,
    timeZone: 'UTC',
    memory: remembering(schedule),
    gaps: [],
    readings: NO_READINGS,
    ...change,
  };
}

const reading = (power: Partial<Facts['readings']['power']>, network: Partial<Facts['readings']['network']> = {}) => ({
  power: { ...NO_READINGS.power, ...power },
  network: { ...NO_READINGS.network, ...network },
});
const wireless = (name: string) => reading({}, { isOnline: true, medium: 'wireless', name });

type Row = readonly [name: string, change: Partial<Facts>, decision: Decision];

const runs = (trigger: 'schedule' | 'missed' | 'change' | 'resume'): Decision => ({
  kind: 'running',
  since: MOMENT,
  trigger,
});
const waits = (reason: Extract<Decision, { kind: 'waiting' }>['reason'], since = MOMENT): Decision => ({
  kind: 'waiting',
  since,
  reason,
});

const moments: readonly Row[] = [
  ['manual', { schedule: { kind: 'manual' } }, { kind: 'manual' }],
  [
    'manual, interrupted in the app',
    {
      schedule: { kind: 'manual' },
      lastRun: { startedAt: MOMENT - HOUR, endedAt: MOMENT - MINUTE, outcome: 'interrupted', resumesItself: true },
    },
    runs('resume'),
  ],
  [
    'manual, interrupted at a terminal',
    {
      schedule: { kind: 'manual' },
      lastRun: { startedAt: MOMENT - HOUR, endedAt: MOMENT - MINUTE, outcome: 'interrupted' },
    },
    { kind: 'manual' },
  ],
  [
    'manual, failed in the app',
    {
      schedule: { kind: 'manual' },
      lastRun: { startedAt: MOMENT - HOUR, endedAt: MOMENT - MINUTE, outcome: 'failed', resumesItself: true },
    },
    { kind: 'manual' },
  ],
  ['a second before the moment', { now: MOMENT - SECOND }, { kind: 'next', at: MOMENT }],
  ['at the moment', {}, runs('schedule')],
  [
    'after the moment was served',
    { memory: remembering(daily, { servedThrough: MOMENT }) },
    { kind: 'next', at: MOMENT + DAY },
  ],
  ['without a memory and without a run', { memory: undefined }, { kind: 'next', at: MOMENT + DAY }],
  [
    'without a memory, with a run of yesterday',
    { memory: undefined, lastRun: { startedAt: MOMENT - DAY, endedAt: MOMENT - DAY, outcome: 'succeeded' } },
    runs('schedule'),
  ],
  [
    'after a change of the schedule',
    { memory: remembering({ kind: 'every', minutes: 5 }, { servedThrough: 0 }) },
    { kind: 'next', at: MOMENT + DAY },
  ],
  [
    'during a run',
    { running: { set: 'documents', isThis: true, since: MOMENT - HOUR, trigger: 'person' } },
    { kind: 'running', since: MOMENT - HOUR, trigger: 'person' },
  ],
  [
    'right after waking',
    { now: MOMENT + 8 * HOUR, gaps: [{ kind: 'asleep', from: MOMENT - HOUR, to: MOMENT + 8 * HOUR }] },
    { kind: 'next', at: MOMENT + 8 * HOUR + 15 * SECOND },
  ],
];

const conditions: readonly Row[] = [
  [
    'only on the mains, on battery',
    { conditions: { onlyOnMains: true }, readings: reading({ onBattery: true, percent: 31 }) },
    waits({ kind: 'battery', percent: 31 }),
  ],
  [
    'only on the mains, on mains power',
    { conditions: { onlyOnMains: true }, readings: reading({ onBattery: false }) },
    runs('schedule'),
  ],
  ['only on the mains, with unknown power', { conditions: { onlyOnMains: true } }, runs('schedule')],
  [
    'a low battery',
    { conditions: { batteryAtLeast: 40 }, readings: reading({ onBattery: true, percent: 39 }) },
    waits({ kind: 'battery', percent: 39, atLeast: 40 }),
  ],
  [
    'a battery at the limit',
    { conditions: { batteryAtLeast: 40 }, readings: reading({ onBattery: true, percent: 40 }) },
    runs('schedule'),
  ],
  [
    'a low battery that is being charged',
    { conditions: { batteryAtLeast: 40 }, readings: reading({ onBattery: false, percent: 10 }) },
    runs('schedule'),
  ],
  [
    'a battery of unknown charge',
    { conditions: { batteryAtLeast: 40 }, readings: reading({ onBattery: true }) },
    runs('schedule'),
  ],
  [
    'metered',
    { conditions: { notMetered: true }, readings: reading({}, { isMetered: true }) },
    waits({ kind: 'metered' }),
  ],
  ['metered, without a condition', { readings: reading({}, { isMetered: true }) }, runs('schedule')],
  ['not metered, with an unknown network', { conditions: { notMetered: true } }, runs('schedule')],
  [
    'an unlisted network',
    { conditions: { networks: ['Home'] }, readings: wireless('Café') },
    waits({ kind: 'network', name: 'Café' }),
  ],
  ['a listed network', { conditions: { networks: ['Office', 'Home'] }, readings: wireless('Home') }, runs('schedule')],
  ['an empty list', { conditions: { networks: [] }, readings: wireless('Café') }, runs('schedule')],
  [
    'a cable',
    { conditions: { networks: ['Home'] }, readings: reading({}, { isOnline: true, medium: 'wired' }) },
    runs('schedule'),
  ],
  [
    'no network',
    { conditions: { networks: ['Home'] }, readings: reading({}, { isOnline: false }) },
    waits({ kind: 'network' }),
  ],
  ['listed networks, with an unknown network', { conditions: { networks: ['Home'] } }, runs('schedule')],
];

const blocks: readonly Row[] = [
  ['paused', { pause: { since: MOMENT - HOUR } }, waits({ kind: 'paused' })],
  [
    'paused until tomorrow, and nothing is due',
    { now: MOMENT - HOUR, pause: { since: MOMENT - 2 * HOUR, until: MOMENT + DAY } },
    waits({ kind: 'paused', until: MOMENT + DAY }, MOMENT - 2 * HOUR),
  ],
  ['paused, and manual', { schedule: { kind: 'manual' }, pause: { since: 0 } }, { kind: 'manual' }],
  ['the disk is missing', { absentLocation: '/media/disk' }, waits({ kind: 'destination', location: '/media/disk' })],
  [
    'the disk is missing, and nothing is due',
    { now: MOMENT - 1, absentLocation: '/media/disk' },
    { kind: 'next', at: MOMENT },
  ],
  [
    'another set runs',
    { running: { set: 'pictures', isThis: false, since: MOMENT - HOUR, trigger: 'schedule' } },
    waits({ kind: 'other-run', set: 'pictures' }),
  ],
  ['another process', { busy: { holder: 'backup pictures' } }, waits({ kind: 'busy', holder: 'backup pictures' })],
  ['another process without a name', { busy: {} }, waits({ kind: 'busy' })],
  [
    'several reasons: prefers one that a person can resolve',
    {
      conditions: { onlyOnMains: true },
      readings: reading({ onBattery: true, percent: 31 }),
      absentLocation: '/media/disk',
      busy: {},
    },
    waits({ kind: 'battery', percent: 31 }),
  ],
  [
    'waiting for some time',
    {
      absentLocation: '/media/disk',
      now: MOMENT + HOUR,
      memory: remembering(daily, {
        hold: { since: MOMENT, reasonSince: MOMENT, reason: { kind: 'destination', location: '/media/disk' } },
      }),
    },
    waits({ kind: 'destination', location: '/media/disk' }),
  ],
  [
    'failed a minute ago',
    { lastRun: { startedAt: MOMENT - 2 * MINUTE, endedAt: MOMENT - MINUTE, outcome: 'failed', failure } },
    waits({ kind: 'retry', at: MOMENT + 4 * MINUTE, failure }, MOMENT - MINUTE),
  ],
  [
    'interrupted a minute ago',
    { lastRun: { startedAt: MOMENT - 2 * MINUTE, endedAt: MOMENT - MINUTE, outcome: 'interrupted' } },
    runs('resume'),
  ],
];

const changes: readonly Row[] = [
  ['nothing changed', { schedule: onChange, now: MOMENT - 1 }, { kind: 'watching', isPartial: false }],
  [
    'no change was reported, and some are not reported',
    { schedule: onChange, now: MOMENT - DAY + MINUTE, isPartial: true },
    { kind: 'watching', isPartial: true },
  ],
  [
    'something changed',
    {
      schedule: onChange,
      now: MOMENT - HOUR,
      memory: remembering(onChange, { changes: { firstAt: MOMENT - HOUR, lastAt: MOMENT - HOUR } }),
    },
    { kind: 'quiet', until: MOMENT - HOUR + 10 * MINUTE },
  ],
  [
    'the quiet time has passed',
    {
      schedule: onChange,
      memory: remembering(onChange, { changes: { firstAt: MOMENT - HOUR, lastAt: MOMENT - 10 * MINUTE } }),
    },
    runs('change'),
  ],
  [
    'changes for an hour',
    {
      schedule: onChange,
      memory: remembering(onChange, { changes: { firstAt: MOMENT - HOUR, lastAt: MOMENT } }),
    },
    runs('change'),
  ],
];

describe.each([
  ['moments', moments],
  ['conditions', conditions],
  ['blocking reasons', blocks],
  ['on change', changes],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_name, change, decision) => {
    const verdict = decide(facts(change));
    expect(verdict.decision).toEqual(decision);
    const isStart = decision.kind === 'running' && change.running === undefined;
    expect(verdict.start?.trigger).toBe(isStart ? decision.trigger : undefined);
  });
});

test('a decision does not change its facts', () => {
  const frozen = facts({ absentLocation: '/media/disk' });
  const before = structuredClone(frozen);
  decide(frozen);
  expect(frozen).toEqual(before);
});

describe('verification', () => {
  const verify = (change: Partial<Parameters<typeof decideVerification>[0]>): Verdict =>
    decideVerification({ ...facts({ memory: undefined }), everyDays: 7, hasBackup: true, ...change });
  const ended = (daysAgo: number, outcome: 'succeeded' | 'failed' | 'interrupted', code?: Failure['code']) => ({
    startedAt: MOMENT - daysAgo * DAY,
    endedAt: MOMENT - daysAgo * DAY + MINUTE,
    outcome,
    failure: code === undefined ? undefined : ({ code, details: {} } as Failure),
  });

  test.each<[string, Partial<Parameters<typeof decideVerification>[0]>, Decision]>([
    ['nothing to verify', { hasBackup: false }, { kind: 'manual' }],
    ['never yet', {}, { kind: 'next', at: MOMENT + 7 * DAY }],
    ['six days ago', { lastRun: ended(6, 'succeeded') }, { kind: 'next', at: MOMENT + DAY }],
    ['seven days ago', { lastRun: ended(7, 'succeeded') }, runs('schedule')],
    [
      'it found damage, which is a result',
      { lastRun: ended(6, 'failed', 'chunk_missing') },
      { kind: 'next', at: MOMENT + DAY },
    ],
    ['it found something in files: so is that', { lastRun: ended(6, 'failed') }, { kind: 'next', at: MOMENT + DAY }],
    ['it was cut off: it goes on', { lastRun: ended(6, 'interrupted') }, runs('resume')],
    ['it did not get through: again', { lastRun: ended(6, 'failed', 'service_unreachable') }, runs('schedule')],
    [
      'it waits like a backup',
      {
        lastRun: ended(8, 'succeeded'),
        conditions: { onlyOnMains: true },
        readings: reading({ onBattery: true, percent: 9 }),
      },
      waits({ kind: 'battery', percent: 9 }),
    ],
  ])('%s', (_name, change, decision) => {
    expect(verify(change).decision).toEqual(decision);
  });
});
