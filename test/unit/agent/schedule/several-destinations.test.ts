import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadScheduleState, scheduleFile } from '../../../../src/agent/schedule/schedule-file.ts';
import type { OngoingRun, ScheduledDestination } from '../../../../src/agent/schedule/ports.ts';
import { decideSet } from '../../../../src/agent/schedule/set-decisions.ts';
import { UNKNOWN_NETWORK } from '../../../../src/os/power/network.ts';
import { UNKNOWN_POWER } from '../../../../src/os/power/ports.ts';
import type { ConfiguredSet } from '../../../../src/model/set.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { DAY, DISK, HOUR, keyOf, MINUTE, SECOND, SchedulerSimulation } from './scheduler-simulation.ts';

process.env['TZ'] = 'UTC';

const START = '2026-11-02T18:00Z';
const EVENING = Date.parse('2026-11-02T18:30Z');
const CLOUD = '00000002';

async function started(
  schedule: string,
  { disk, cloud }: { readonly disk?: string; readonly cloud?: string },
): Promise<SchedulerSimulation> {
  const simulation = new SchedulerSimulation(START);
  simulation.destinations = [destination(DISK, disk), destination(CLOUD, cloud)];
  simulation.set('documents', schedule);
  await simulation.start();
  return simulation;
}

function destination(id: string, schedule: string | undefined): ScheduledDestination {
  const location = id === DISK ? '/media/disk' : 's3://cloud';
  return schedule === undefined ? { id, location } : { id, location, schedule };
}

/** `18:30 disk cloud` */
function runsOf({ started: runs }: SchedulerSimulation): readonly string[] {
  return runs.map(({ at, destinations, set, trigger }) => {
    const names = destinations.map((id) => (id === DISK ? 'disk' : id === CLOUD ? 'cloud' : id));
    const other = set === 'documents' ? [] : [set];
    const why = trigger === 'schedule' ? [] : [trigger];
    return [new Date(at).toISOString().slice(11, 16), ...other, ...names, ...why].join(' ');
  });
}

describe('the schedule of a destination', () => {
  test('replaces that of the sets', async () => {
    await using simulation = await started('daily 18:30', { cloud: 'daily 19:00' });
    expect(simulation.decision('documents', DISK)).toEqual({ kind: 'next', at: EVENING });
    expect(simulation.decision('documents', CLOUD)).toEqual({ kind: 'next', at: EVENING + HOUR / 2 });
    await simulation.pass(2 * HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk', '19:00 cloud']);
  });

  test('applies to sets that have none', async () => {
    await using simulation = await started('manual', { cloud: 'daily 19:00' });
    await simulation.pass(2 * HOUR);
    expect(runsOf(simulation)).toEqual(['19:00 cloud']);
    expect(simulation.decision('documents', DISK)).toEqual({ kind: 'manual' });
  });

  test('may leave it to persons', async () => {
    await using simulation = await started('hourly', { cloud: 'manual' });
    await simulation.pass(90 * MINUTE);
    expect(runsOf(simulation)).toEqual(['19:00 disk']);
    expect(simulation.decision('documents', CLOUD)).toEqual({ kind: 'manual' });
  });

  test('applies from the moment that it is changed', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.destinations = [destination(DISK, undefined), destination(CLOUD, 'daily 18:45')];
    simulation.scheduler.setsChanged();
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk', '18:45 cloud']);
  });

  test('is forgotten with its destination', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.destinations = [destination(DISK, undefined)];
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk']);
    expect([...simulation.scheduler.decisions().get('documents')!.keys()]).toEqual([DISK]);
    const { memories } = JSON.parse(readFileSync(scheduleFile(simulation.home), 'utf8')) as { memories: object[] };
    expect(memories).toMatchObject([{ set: 'documents', destination: DISK }]);
  });

  test('is remembered over a restart', async () => {
    await using simulation = await started('daily 18:30', { cloud: 'daily 19:00' });
    await simulation.pass(45 * MINUTE);
    await simulation.restart(HOUR);
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk', '19:45 cloud missed']);
  });
});

describe('backups that are due together', () => {
  test('are one run', async () => {
    await using simulation = await started('daily 18:30', {});
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk cloud']);
  });

  test('stay one run although the interval of each counts from its own start', async () => {
    await using simulation = await started('hourly', {});
    await simulation.pass(40 * MINUTE);
    const run = { startedAt: simulation.now, endedAt: simulation.now, outcome: 'succeeded' } as const;
    simulation.journal.set(keyOf({ set: 'documents', destination: CLOUD }), run);
    await simulation.pass(4 * HOUR);
    expect(runsOf(simulation)).toEqual([
      '19:00 disk',
      '19:40 cloud disk',
      '20:40 disk cloud',
      '21:40 disk cloud',
      '22:40 disk cloud',
    ]);
  });

  test('do not take a backup along that has hardly begun to wait', async () => {
    await using simulation = await started('every 10 minutes', { cloud: 'hourly' });
    await simulation.pass(2 * HOUR);
    const { length } = runsOf(simulation).filter((run) => run.endsWith('cloud'));
    expect([length, simulation.started.length]).toEqual([2, 12]);
  });

  test('leave out a destination that is absent, however soon it is due', async () => {
    await using simulation = await started('hourly', {});
    simulation.absent.add(CLOUD);
    await simulation.pass(3 * HOUR);
    expect(runsOf(simulation)).toEqual(['19:00 disk', '20:00 disk', '21:00 disk']);
  });

  test('begin with the folders that have changed', async () => {
    await using simulation = await started('on change after 10 minutes', {});
    simulation.ended('documents');
    await simulation.pass(20 * MINUTE);
    simulation.started.length = 0;
    simulation.watchers.get('documents')?.change('/home/anna/documents/letters');
    await simulation.pass(20 * MINUTE);
    expect(simulation.started).toMatchObject([
      { trigger: 'change', destinations: [DISK, CLOUD], first: ['/home/anna/documents/letters'] },
    ]);
    expect(simulation.watchers.size).toBe(1);
  });
});

test('watches a set whose own schedule needs no watcher', async () => {
  await using simulation = await started('daily 18:30', { cloud: 'on change after 10 minutes' });
  await simulation.pass(20 * MINUTE);
  simulation.watchers.get('documents')?.change('/home/anna/documents/letters');
  expect(simulation.decision('documents', CLOUD)).toMatchObject({ kind: 'quiet' });
  await simulation.pass(11 * MINUTE);
  expect(runsOf(simulation)).toEqual(['18:10 cloud change', '18:30 disk cloud']);
});

describe('an absent destination', () => {
  test('waits by itself, and gets its backup as soon as it is back', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.absent.add(DISK);
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 cloud']);
    const reason = { kind: 'destination', location: '/media/disk' };
    expect(simulation.decision('documents', DISK)).toEqual({ kind: 'waiting', since: EVENING, reason });
    expect(simulation.decision('documents')).toEqual({ kind: 'next', at: EVENING + DAY });
    simulation.absent.clear();
    simulation.scheduler.wake('destination');
    await simulation.pass(SECOND);
    expect(runsOf(simulation).slice(1)).toEqual(['19:00 disk']);
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({
      lateBy: 'waited',
      waitedFor: reason,
    });
  });

  test('is noticed without an event, too', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.absent.add(DISK);
    await simulation.pass(HOUR);
    simulation.absent.clear();
    await simulation.pass(MINUTE);
    expect(runsOf(simulation)).toEqual(['18:30 cloud', '19:00 disk']);
  });

  test('keeps a verification from running only if all are absent', async () => {
    const verification = { everyDays: 1, samplePercent: 5 };
    await using simulation = new SchedulerSimulation(START);
    simulation.destinations = [destination(DISK, undefined), destination(CLOUD, undefined)];
    simulation.ended('documents');
    simulation.set('documents', 'manual', { verification });
    simulation.absent = new Set([DISK, CLOUD]);
    await simulation.start();
    simulation.sleep(2 * DAY);
    await simulation.pass(MINUTE);
    expect(simulation.scheduler.verifications().get('documents')).toMatchObject({
      reason: { kind: 'destination', location: '/media/disk' },
    });
    simulation.absent.delete(CLOUD);
    await simulation.pass(MINUTE);
    expect(simulation.runs).toEqual(['verify documents 11-04 18:01']);
  });
});

describe('a failure at one destination', () => {
  const failure = { code: 'destination_full', details: { directory: '/media/disk' } } as const;

  test('is retried there only', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.plans = [{ at: { [DISK]: { outcome: 'failed', failure } } }];
    await simulation.pass(31 * MINUTE);
    expect(simulation.decision('documents', DISK)).toMatchObject({
      kind: 'waiting',
      reason: { kind: 'retry', failure },
    });
    expect(simulation.decision('documents', CLOUD)).toEqual({ kind: 'next', at: EVENING + DAY });
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:30 disk cloud', '18:35 disk']);
  });

  test('counts for all if the run did not begin', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.plans = [{ refusedWith: new HoldfastError('service_unreachable', { address: 'https://example.org' }) }];
    await simulation.pass(31 * MINUTE);
    for (const id of [DISK, CLOUD]) {
      expect(simulation.decision('documents', id)).toMatchObject({
        reason: { kind: 'retry', at: EVENING + 5 * MINUTE },
      });
    }
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['18:35 disk cloud']);
  });

  test('is one if the journal has no record of that destination', async () => {
    await using simulation = await started('daily 18:30', {});
    simulation.plans = [{}];
    simulation.unrecorded.add(CLOUD);
    await simulation.pass(31 * MINUTE);
    expect(simulation.decision('documents', DISK)).toMatchObject({ kind: 'next' });
    expect(simulation.decision('documents', CLOUD)).toMatchObject({ reason: { kind: 'retry' } });
  });
});

describe('a slow destination', () => {
  const slow = { at: { [CLOUD]: { takes: 10 * HOUR } } };

  test('holds up no other', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.plan = () => ({ takes: 2 * MINUTE, ...slow });
    await simulation.pass(4 * HOUR);
    expect(runsOf(simulation)).toEqual([
      '18:30 cloud',
      '19:00 disk cloud',
      '20:00 disk cloud',
      '21:00 disk cloud',
      '22:00 disk cloud',
    ]);
    expect(simulation.preemptions).toBe(4);
  });

  test('is running while others are planned, and is no failure when it is preempted', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.plan = () => ({ takes: 2 * MINUTE, ...slow });
    await simulation.pass(75 * MINUTE);
    const running = { kind: 'running', since: EVENING + HOUR / 2, trigger: 'schedule' };
    expect(simulation.decision('documents', CLOUD)).toEqual(running);
    expect(simulation.decision('documents', DISK)).toEqual({ kind: 'next', at: EVENING + HOUR / 2 + HOUR });
    expect(simulation.decision('documents')).toEqual(running);
  });

  test('completes in the end, and then keeps its own schedule', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    let left = 3 * HOUR;
    let before = EVENING;
    simulation.plan = () => {
      left -= simulation.now - before;
      before = simulation.now;
      return { at: { [CLOUD]: { takes: Math.max(0, left) } } };
    };
    await simulation.pass(8 * HOUR);
    expect(runsOf(simulation).map((run) => run.slice(6))).toEqual([
      'cloud',
      'disk cloud',
      'disk cloud',
      'disk cloud',
      'disk',
      'disk',
      'disk',
      'disk',
      'disk',
    ]);
    expect(simulation.decision('documents', CLOUD)).toEqual({ kind: 'next', at: EVENING + DAY });
  });

  test('is not preempted while the set is read', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.plan = () => ({ reads: 2 * HOUR, takes: 2 * HOUR, ...slow });
    await simulation.pass(2 * HOUR + 34 * MINUTE);
    expect(runsOf(simulation)).toEqual(['18:30 cloud']);
    await simulation.pass(MINUTE + SECOND);
    expect(runsOf(simulation)).toEqual(['18:30 cloud', '20:35 disk cloud']);
  });

  test('is preempted for another set, and continues after it', async () => {
    await using simulation = await started('manual', { cloud: 'daily 18:30' });
    simulation.set('pictures', 'hourly');
    simulation.plan = ({ set }) => (set === 'pictures' ? { takes: 2 * MINUTE } : slow);
    await simulation.pass(90 * MINUTE);
    expect(runsOf(simulation)).toEqual(['18:30 cloud', '19:00 pictures cloud disk', '19:02 cloud resume']);
  });

  test('is not preempted for another set that waits for the same destination', async () => {
    await using simulation = await started('manual', { cloud: 'daily 18:30' });
    simulation.destinations = [destination(DISK, 'manual'), destination(CLOUD, 'daily 18:30')];
    simulation.set('pictures', 'hourly');
    simulation.plan = () => slow;
    await simulation.pass(2 * HOUR);
    expect(runsOf(simulation)).toHaveLength(1);
    expect(simulation.preemptions).toBe(0);
  });

  test('is not preempted for a destination that is absent, or a set whose conditions do not hold', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.set('pictures', 'hourly', { conditions: { onlyOnMains: true } });
    simulation.power = { onBattery: true, percent: 50 };
    simulation.absent.add(DISK);
    simulation.plan = () => slow;
    await simulation.pass(3 * HOUR);
    expect(simulation.preemptions).toBe(0);
    simulation.power = { onBattery: false, percent: 50 };
    simulation.absent.clear();
    await simulation.pass(MINUTE);
    expect(simulation.preemptions).toBe(1);
  });

  test('is not preempted again while it ends', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.plan = () => slow;
    simulation.endsAfter = 2 * MINUTE;
    await simulation.pass(HOUR + MINUTE);
    expect(simulation.preemptions).toBe(1);
    await simulation.pass(2 * MINUTE);
    expect(runsOf(simulation)).toEqual(['18:30 cloud', '19:02 disk cloud']);
  });

  test('that sends nothing has longer each time', async () => {
    await using simulation = await started('every 10 minutes', { cloud: 'daily 18:30' });
    simulation.plan = () => ({ at: { [CLOUD]: { takes: 100 * HOUR } } });
    simulation.target = { hasSent: false };
    await simulation.pass(9 * HOUR);
    const cloud = runsOf(simulation).filter((run) => run.includes('cloud'));
    expect(cloud).toEqual(['18:30 disk cloud', '19:30 disk cloud', '21:30 disk cloud', '01:30 disk cloud']);
  });

  test('that cannot be reached has no time', async () => {
    await using simulation = await started('every 10 minutes', { cloud: 'daily 18:30' });
    simulation.plan = () => slow;
    simulation.target = { hasSent: false, isWaiting: true };
    await simulation.pass(HOUR);
    expect(runsOf(simulation).slice(3)).toEqual(['18:40 disk cloud', '18:50 disk cloud', '19:00 disk cloud']);
  });

  test('continues after a crash that follows the preemption', async () => {
    await using simulation = await started('hourly', { cloud: 'daily 18:30' });
    simulation.plan = () => slow;
    simulation.endsAfter = DAY;
    await simulation.pass(HOUR + MINUTE);
    simulation.kill();
    const saved = loadScheduleState(simulation.home)?.memories.find((entry) => entry.destination === CLOUD);
    expect(saved?.memory.preempted).toEqual({ at: EVENING + HOUR / 2, fruitless: 0 });
    simulation.journal.set(keyOf({ set: 'documents', destination: CLOUD }), {
      startedAt: EVENING,
      endedAt: simulation.now,
      outcome: 'interrupted',
    });
    await simulation.restart(MINUTE, true);
    await simulation.pass(20 * SECOND);
    expect(runsOf(simulation).slice(1)).toEqual(['19:02 disk cloud missed']);
  });

  test('that a person backs up to is continued, even if it has no schedule', async () => {
    await using simulation = await started('hourly', { cloud: 'manual' });
    await simulation.pass(30 * MINUTE);
    simulation.byPerson('documents', [CLOUD]);
    await simulation.pass(31 * MINUTE);
    simulation.plan = () => ({ at: { [CLOUD]: { takes: 10 * MINUTE } } });
    await simulation.pass(HOUR);
    expect(runsOf(simulation)).toEqual(['19:00 disk cloud', '20:00 disk']);
    expect(simulation.decision('documents', CLOUD)).toEqual({ kind: 'manual' });
  });
});

describe('a backup does not join', () => {
  test('a run while its destination is absent', async () => {
    await using simulation = await started('hourly', {});
    await simulation.pass(20 * MINUTE);
    const run = { startedAt: simulation.now, endedAt: simulation.now, outcome: 'succeeded' } as const;
    simulation.journal.set(keyOf({ set: 'documents', destination: CLOUD }), run);
    simulation.absent.add(CLOUD);
    await simulation.pass(41 * MINUTE);
    expect(runsOf(simulation)).toEqual(['19:00 disk']);
  });

  test('a run of another set', async () => {
    await using simulation = await started('hourly', {});
    await simulation.pass(20 * MINUTE);
    simulation.set('pictures', 'hourly');
    await simulation.pass(61 * MINUTE);
    expect(runsOf(simulation)).toEqual(['19:00 disk cloud', '19:20 pictures disk cloud']);
  });

  test('a retry', async () => {
    await using simulation = await started('every 10 minutes', {});
    simulation.plans = [{ at: { [DISK]: { outcome: 'failed' } } }];
    await simulation.pass(16 * MINUTE);
    expect(runsOf(simulation)).toEqual(['18:10 disk cloud', '18:15 disk']);
  });
});

test('a run that continues one backup and begins another is a scheduled one', async () => {
  await using simulation = await started('every 65 minutes', { cloud: 'daily 18:30' });
  simulation.destinations = [destination(DISK, undefined), destination(CLOUD, 'daily 18:30')];
  simulation.set('pictures', 'hourly');
  simulation.plan = ({ set }) => (set === 'pictures' ? { takes: 10 * MINUTE } : { at: { [CLOUD]: { takes: DAY } } });
  await simulation.pass(75 * MINUTE);
  expect(runsOf(simulation)).toEqual(['18:30 cloud', '19:00 pictures cloud disk', '19:10 cloud disk']);
});

test('a run without any record counts by its outcome', async () => {
  await using simulation = await started('daily 18:30', {});
  for (const id of [DISK, CLOUD]) simulation.unrecorded.add(id);
  await simulation.pass(31 * MINUTE);
  for (const id of [DISK, CLOUD]) {
    expect(simulation.decision('documents', id)).toEqual({ kind: 'next', at: EVENING + DAY });
  }
});

describe('while a run', () => {
  const set: ConfiguredSet = {
    name: 'documents',
    roots: [],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
    schedule: 'hourly',
    verification: { everyDays: 7, samplePercent: 1 },
  };
  const now = Date.parse(START);
  const facts = { memoryOf: () => undefined, lastRun: () => undefined, isPartial: false };

  function running(ongoing: Partial<OngoingRun>): readonly string[] {
    const run = { set: 'documents', kind: 'backup', startedAt: now, trigger: 'schedule', ...ongoing } as const;
    const verdicts = decideSet(set, [destination(DISK, undefined), destination(CLOUD, undefined)], facts, {
      now,
      gaps: [],
      readings: { power: UNKNOWN_POWER, network: UNKNOWN_NETWORK },
      areConditionsKnown: false,
      absent: new Set(),
      ongoing: run,
    });
    return verdicts.flatMap((one) => (one.verdict.decision.kind === 'running' ? [one.destination ?? 'verify'] : []));
  }
  const cloud = { destination: CLOUD, readAt: now, hasSent: true, isWaiting: false };

  test.each<[string, Partial<OngoingRun>, readonly string[]]>([
    ['backs the set up everywhere, its backups are running', {}, [DISK, CLOUD]],
    ['backs it up somewhere, only those are', { destinations: [CLOUD] }, [CLOUD]],
    ['has ended at one destination, only the other is', { destinations: [DISK, CLOUD], remaining: [cloud] }, [CLOUD]],
    ['backs up another set, nothing is', { set: 'pictures' }, []],
    ['restores the set, nothing is', { kind: 'restore' }, []],
  ])('%s', (_, ongoing, expected) => {
    expect(running(ongoing)).toEqual(expected);
  });
});
