import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scheduleFile } from '../../../../src/agent/schedule/schedule-file.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { DAY, DISK, HOUR, keyOf, MINUTE, SECOND, SchedulerSimulation } from './scheduler-simulation.ts';

process.env['TZ'] = 'UTC';

const EVENING = Date.parse('2026-11-02T18:30Z');

async function started(
  start: string,
  ...sets: readonly (readonly [name: string, schedule: string])[]
): Promise<SchedulerSimulation> {
  const simulation = new SchedulerSimulation(start);
  for (const [name, schedule] of sets) simulation.set(name, schedule);
  await simulation.start();
  return simulation;
}

describe('a moment', () => {
  test('starts its run and shows it', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.plans = [{ takes: 5 * MINUTE }];
    expect(simulation.decision('documents')).toEqual({ kind: 'next', at: EVENING });
    const changes = simulation.changes;
    await simulation.pass(29 * MINUTE);
    expect(simulation.changes).toBe(changes);
    await simulation.pass(2 * MINUTE);
    expect(simulation.decision('documents')).toEqual({ kind: 'running', since: EVENING, trigger: 'schedule' });
    await simulation.pass(10 * MINUTE);
    expect(simulation.decision('documents')).toEqual({ kind: 'next', at: EVENING + DAY });
    expect(simulation.scheduler.lastMoments().get('documents')).toEqual({ dueAt: EVENING, ranAt: EVENING });
    expect(simulation.runs).toEqual(['backup documents 11-02 18:30 schedule']);
    expect(simulation.changes).toBe(changes + 2);
  });

  test('that passed during sleep is served once within a minute of waking, without a wake event', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await simulation.pass(MINUTE);
    simulation.sleep(14 * HOUR);
    await simulation.pass(MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-03 08:01 missed']);
    const moment = simulation.scheduler.lastMoments().get('documents');
    expect(moment).toMatchObject({ dueAt: EVENING, lateBy: 'asleep' });
    await simulation.pass(HOUR);
    expect(simulation.started).toHaveLength(1);
  });

  test('that passed during sleep is served immediately after a wake event', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.sleep(14 * HOUR);
    simulation.scheduler.wake('resumed');
    await simulation.pass(16 * SECOND);
    expect(simulation.started).toHaveLength(1);
  });

  test.each([
    ['in order', false],
    ['by a crash', true],
  ])('that passed while the program was off is served when the program had ended %s', async (_, crash) => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await simulation.pass(MINUTE);
    await simulation.restart(14 * HOUR, crash);
    await simulation.pass(MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-03 08:01 missed']);
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'off' });
    await simulation.restart(MINUTE, crash);
    await simulation.pass(HOUR);
    expect(simulation.started).toHaveLength(1);
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'off' });
  });

  test('is not served again after the clock was set back', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await simulation.pass(31 * MINUTE);
    simulation.sleep(-20 * MINUTE);
    await simulation.pass(HOUR);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:30 schedule']);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['torn', '{"version":1,"seenAt":17'],
    ['of zeros', '\0\0\0\0'],
    ['of another form', '{"version":1,"seenAt":"yesterday","sets":{}}'],
    ['of a newer version', '{"version":2}'],
  ])('has at most one superfluous run when the record is %s', async (_, content) => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['pictures', 'hourly']);
    await simulation.pass(HOUR);
    const before = simulation.started.length;
    await simulation.scheduler.close();
    if (content === undefined) rmSync(scheduleFile(simulation.home));
    else writeFileSync(scheduleFile(simulation.home), content);
    await simulation.restart(0, true);
    await simulation.pass(30 * MINUTE);
    expect(simulation.started.slice(before)).toEqual([]);
    await simulation.pass(31 * MINUTE);
    expect(simulation.runs.slice(before)).toEqual(['backup pictures 11-02 20:00 schedule']);
  });
});

describe('the record', () => {
  test('is not written in a home without sets', async () => {
    await using simulation = await started('2026-11-02T18:00Z');
    await simulation.pass(HOUR);
    await simulation.scheduler.close();
    expect(existsSync(scheduleFile(simulation.home))).toBe(false);
  });

  test('is not written while nothing happens', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const before = readFileSync(scheduleFile(simulation.home), 'utf8');
    await simulation.pass(9 * MINUTE);
    expect(readFileSync(scheduleFile(simulation.home), 'utf8')).toBe(before);
  });

  test('has the last evaluation when the program ends', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await simulation.pass(9 * MINUTE);
    await simulation.scheduler.close();
    const { seenAt } = JSON.parse(readFileSync(scheduleFile(simulation.home), 'utf8')) as { seenAt: number };
    expect(seenAt).toBe(simulation.now);
  });

  test('may fail to be written without stopping runs', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    rmSync(simulation.home.folder, { recursive: true });
    await simulation.pass(HOUR);
    expect(simulation.started).toHaveLength(1);
  });
});

describe('a pause', () => {
  test('delays runs until its end, across a restart', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['mine', 'manual']);
    const until = EVENING + HOUR;
    simulation.scheduler.pause(until);
    await simulation.pass(MINUTE);
    const since = Date.parse('2026-11-02T18:00Z');
    expect(simulation.decision('documents')).toEqual({ kind: 'waiting', since, reason: { kind: 'paused', until } });
    expect(simulation.decision('mine')).toEqual({ kind: 'manual' });
    await simulation.restart(10 * MINUTE);
    expect(simulation.scheduler.paused).toEqual({ until });
    await simulation.until('2026-11-02T19:29Z');
    expect(simulation.started).toEqual([]);
    await simulation.pass(2 * MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 19:30 schedule']);
    expect(simulation.scheduler.paused).toBeUndefined();
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({
      lateBy: 'waited',
      waitedFor: { kind: 'paused', until },
    });
  });

  test('without an end lasts until it is resumed', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.scheduler.pause();
    await simulation.pass(5 * HOUR);
    simulation.sleep(3 * DAY);
    await simulation.pass(HOUR);
    expect(simulation.scheduler.paused).toEqual({});
    expect(simulation.started).toEqual([]);
    simulation.scheduler.resume();
    await simulation.pass(SECOND);
    expect(simulation.runs).toEqual(['backup documents 11-06 00:00 schedule']);
  });

  test('is not prolonged by setting the clock back', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'hourly']);
    simulation.scheduler.pause(simulation.now + HOUR);
    await simulation.pass(MINUTE);
    simulation.sleep(-30 * DAY);
    await simulation.pass(2 * HOUR + MINUTE);
    expect(simulation.started.length).toBeGreaterThan(0);
  });
});

describe('a due run waits', () => {
  test('for mains power and reports it', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'daily 18:30', { conditions: { onlyOnMains: true } });
    simulation.power = { onBattery: true, percent: 31 };
    await simulation.start();
    await simulation.pass(20 * MINUTE);
    expect(simulation.readingsAsked).toBe(0);
    await simulation.pass(20 * MINUTE);
    expect(simulation.decision('documents')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'battery', percent: 31 },
    });
    simulation.power = { onBattery: false, percent: 31 };
    simulation.scheduler.wake('power');
    await simulation.pass(SECOND);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:40 schedule']);
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'waited' });
  });

  test('for an unmetered network', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'daily 18:30', { conditions: { notMetered: true, networks: ['Home'] } });
    simulation.network = { isOnline: true, isMetered: true, medium: 'wireless', name: 'Phone' };
    await simulation.start();
    await simulation.pass(31 * MINUTE);
    expect(simulation.decision('documents')).toMatchObject({ reason: { kind: 'metered' } });
    simulation.network = { ...simulation.network, isMetered: false };
    await simulation.pass(MINUTE);
    expect(simulation.decision('documents')).toMatchObject({ reason: { kind: 'network', name: 'Phone' } });
    simulation.network = { ...simulation.network, name: 'Home' };
    await simulation.pass(MINUTE);
    expect(simulation.started).toHaveLength(1);
  });

  test('for the disk', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.absent.add(DISK);
    await simulation.pass(HOUR);
    expect(simulation.decision('documents')).toMatchObject({
      reason: { kind: 'destination', location: '/media/disk' },
    });
    simulation.absent.clear();
    await simulation.pass(MINUTE);
    expect(simulation.started).toHaveLength(1);
  });

  test('for another set', async () => {
    await using simulation = await started(
      '2026-11-02T18:00Z',
      ['documents', 'daily 18:30'],
      ['pictures', 'daily 18:30'],
    );
    simulation.plans = [{ takes: 10 * MINUTE }, { takes: MINUTE }];
    await simulation.pass(31 * MINUTE);
    expect(simulation.decision('documents')).toMatchObject({ kind: 'running' });
    expect(simulation.decision('pictures')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'other-run', set: 'documents' },
    });
    await simulation.pass(HOUR);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:30 schedule', 'backup pictures 11-02 18:40 schedule']);
    expect(simulation.scheduler.lastMoments().get('pictures')).toMatchObject({ lateBy: 'busy' });
  });

  test('for another process and retries', async () => {
    await using simulation = await started(
      '2026-11-02T18:00Z',
      ['documents', 'daily 18:30'],
      ['pictures', 'daily 18:30'],
    );
    const busy = { refusedWith: new HoldfastError('home_busy', { command: 'backup music' }) };
    simulation.plans = [busy, busy, busy];
    await simulation.pass(30 * MINUTE + 10 * SECOND);
    const waiting = { kind: 'waiting', reason: { kind: 'busy', holder: 'backup music' } };
    expect(simulation.decision('documents')).toMatchObject(waiting);
    expect(simulation.decision('pictures')).toMatchObject(waiting);
    expect(simulation.plans).toHaveLength(2);
    await simulation.pass(2 * MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:31 schedule', 'backup pictures 11-02 18:31 schedule']);
    expect(simulation.scheduler.lastMoments().get('documents')).toMatchObject({
      lateBy: 'busy',
      waitedFor: { kind: 'busy', holder: 'backup music' },
    });
  });
});

describe("a person's run", () => {
  test('is shown and serves a moment that passes during it', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await simulation.pass(20 * MINUTE);
    const startedAt = simulation.now;
    simulation.foreign = 'documents';
    simulation.scheduler.setsChanged();
    await simulation.pass(20 * MINUTE);
    expect(simulation.decision('documents')).toEqual({ kind: 'running', since: startedAt, trigger: 'person' });
    simulation.foreign = undefined;
    simulation.ended('documents', { startedAt });
    simulation.scheduler.runEnded();
    await simulation.pass(HOUR);
    expect(simulation.decision('documents')).toEqual({ kind: 'next', at: EVENING + DAY });
    expect(simulation.started).toEqual([]);
  });
});

describe('a failed run', () => {
  test('is retried depending on its failure', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const failure = { code: 'destination_full', details: { directory: '/media/disk' } } as const;
    simulation.plans = [
      { outcome: 'failed', failure },
      { outcome: 'failed', failure },
    ];
    await simulation.pass(31 * MINUTE);
    const at = EVENING + 5 * MINUTE;
    expect(simulation.decision('documents')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'retry', at, failure },
    });
    await simulation.pass(HOUR);
    expect(simulation.runs).toEqual([
      'backup documents 11-02 18:30 schedule',
      'backup documents 11-02 18:35 schedule',
      'backup documents 11-02 18:50 schedule',
    ]);
    expect(simulation.decision('documents')).toMatchObject({ kind: 'next' });
    expect(simulation.scheduler.lastMoments().get('documents')).toEqual({ dueAt: EVENING, ranAt: EVENING });
  });

  test('is retried even without a journal record, and earlier after a network change', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const refusedWith = new HoldfastError('service_unreachable', { address: 'https://backup.example.org' });
    simulation.plans = [{ refusedWith }, { refusedWith }];
    await simulation.until('2026-11-02T18:40Z');
    expect(simulation.plans).toEqual([]);
    expect(simulation.decision('documents')).toMatchObject({ reason: { kind: 'retry', at: EVENING + 20 * MINUTE } });
    simulation.networkMark = '198.51.100.7';
    await simulation.pass(MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:40 schedule']);
  });

  test('is retried after a restart, at its time', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.plans = [{ outcome: 'failed' }];
    await simulation.pass(31 * MINUTE);
    await simulation.restart(MINUTE);
    await simulation.pass(SECOND);
    expect(simulation.decision('documents')).toMatchObject({ reason: { kind: 'retry', at: EVENING + 5 * MINUTE } });
    await simulation.pass(10 * MINUTE);
    expect(simulation.started).toHaveLength(2);
  });

  test('that ended with its process resumes after the next start', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.plans = [{ takes: DAY }];
    await simulation.pass(40 * MINUTE);
    simulation.ended('documents', { startedAt: EVENING, outcome: 'interrupted' });
    simulation.foreign = undefined;
    await simulation.scheduler.close();
    await using next = new SchedulerSimulation('2026-11-02T20:00Z');
    writeFileSync(scheduleFile(next.home), readFileSync(scheduleFile(simulation.home)));
    const key = keyOf({ set: 'documents', destination: DISK });
    next.journal.set(key, simulation.journal.get(key)!);
    next.set('documents', 'daily 18:30');
    await next.restart(0, true);
    await next.pass(MINUTE);
    expect(next.runs).toEqual(['backup documents 11-02 20:00 resume']);
    await next.pass(HOUR);
    expect(next.started).toHaveLength(1);
  });
});

describe('on change', () => {
  const after = 'on change after 10 minutes';

  async function watched(): Promise<SchedulerSimulation> {
    const simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', after);
    simulation.ended('documents');
    await simulation.start();
    await simulation.pass(11 * MINUTE);
    simulation.started.length = 0;
    return simulation;
  }

  test('starts a run after a quiet time, with the changed folders first', async () => {
    await using simulation = await watched();
    expect(simulation.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
    simulation.watchers.get('documents')?.change('/home/anna/documents/letters');
    await simulation.pass(0);
    expect(simulation.decision('documents')).toEqual({ kind: 'quiet', until: simulation.now + 10 * MINUTE });
    await simulation.pass(5 * MINUTE);
    simulation.watchers.get('documents')?.change('/home/anna/documents/taxes');
    await simulation.pass(11 * MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:26 change']);
    expect(simulation.started[0]?.first).toEqual(['/home/anna/documents/letters', '/home/anna/documents/taxes']);
    expect(simulation.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
  });

  test('reports that some changes are not noticed', async () => {
    await using simulation = await watched();
    const watcher = simulation.watchers.get('documents');
    if (watcher) watcher.limitation = 'watch-limit';
    await simulation.pass(MINUTE);
    expect(simulation.decision('documents')).toEqual({ kind: 'watching', isPartial: true });
    await simulation.pass(16 * MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:25 schedule']);
  });

  test('starts a run after a start, since changes while the program was off are unknown', async () => {
    await using simulation = await watched();
    await simulation.restart(MINUTE);
    await simulation.pass(9 * MINUTE);
    expect(simulation.started).toEqual([]);
    await simulation.pass(2 * MINUTE);
    expect(simulation.runs).toEqual(['backup documents 11-02 18:22 change']);
  });

  test('replaces the watcher of an edited set and closes that of a removed one', async () => {
    await using simulation = await watched();
    const first = simulation.watchers.get('documents');
    simulation.set('documents', after, { roots: ['/home/anna/other'] });
    await simulation.pass(0);
    const second = simulation.watchers.get('documents');
    expect([first?.isClosed, second?.isClosed, first === second]).toEqual([true, false, false]);
    simulation.set('documents', 'manual');
    await simulation.pass(0);
    expect(second?.isClosed).toBe(true);
  });
});

describe('verification', () => {
  const verification = { everyDays: 2, samplePercent: 5 };

  test('runs every so many days after a backup', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'daily 18:30', { verification });
    await simulation.start();
    for (let days = 0; days < 5; days += 1) {
      simulation.sleep(23 * HOUR);
      await simulation.pass(HOUR);
    }
    const verified = simulation.started.filter(({ kind }) => kind === 'verify');
    expect(verified.map(({ at }) => new Date(at).toISOString().slice(0, 16))).toEqual([
      '2026-11-04T18:00',
      '2026-11-06T18:00',
    ]);
    expect(verified[0]?.samplePercent).toBe(5);
  });

  test('has a separate decision while it waits', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.ended('documents');
    simulation.set('documents', 'manual', { verification });
    await simulation.start();
    expect(simulation.scheduler.verifications().get('documents')).toMatchObject({ kind: 'next' });
    simulation.scheduler.pause();
    simulation.sleep(8 * DAY);
    await simulation.pass(HOUR);
    expect(simulation.scheduler.verifications().get('documents')).toMatchObject({
      kind: 'waiting',
      reason: { kind: 'paused' },
    });
    expect(simulation.decision('documents')).toEqual({ kind: 'manual' });
  });

  test('does not run without a backup', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'manual', { verification });
    await simulation.start();
    simulation.sleep(15 * DAY);
    await simulation.pass(HOUR);
    expect(simulation.started).toEqual([]);
  });

  test('is retried when it could not begin', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.ended('documents');
    simulation.set('documents', 'manual', { verification });
    await simulation.start();
    simulation.sleep(8 * DAY);
    simulation.plans = [
      { refusedWith: new HoldfastError('service_unreachable', { address: 'https://backup.example.org' }) },
    ];
    await simulation.pass(30 * MINUTE);
    expect(simulation.runs).toEqual(['verify documents 11-10 18:05']);
  });
});

describe('sets', () => {
  test('are scheduled anew when they are edited, added or removed', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.set('documents', 'daily 20:00');
    simulation.set('pictures', 'every 30 minutes');
    await simulation.pass(HOUR);
    expect(simulation.runs).toEqual(['backup pictures 11-02 18:30 schedule', 'backup pictures 11-02 19:00 schedule']);
    simulation.sets = simulation.sets.filter(({ name }) => name === 'documents');
    simulation.scheduler.setsChanged();
    await simulation.pass(0);
    expect([...simulation.scheduler.decisions().keys()]).toEqual(['documents']);
  });

  test('with an unknown schedule are manual', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'at full moon']);
    expect(simulation.decision('documents')).toEqual({ kind: 'manual' });
  });

  test('have no decisions and no runs while they cannot be read', async () => {
    await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    simulation.setsError = new HoldfastError('home_damaged');
    await simulation.pass(HOUR);
    expect(simulation.scheduler.decisions().size).toBe(0);
    expect(simulation.started).toEqual([]);
    simulation.setsError = undefined;
    await simulation.pass(MINUTE);
    expect(simulation.started).toHaveLength(1);
  });
});

test('starts nothing after close', async () => {
  await using simulation = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
  simulation.sleep(DAY);
  simulation.scheduler.wake('resumed');
  await simulation.scheduler.close();
  await simulation.pass(HOUR);
  expect(simulation.started).toEqual([]);
});

describe('drills', () => {
  const drill = { everyDays: 7 };

  test('run once a week, beside verifications, one after the other', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'daily 18:30', { verification: { everyDays: 7, samplePercent: 5 }, drill });
    await simulation.start();
    await simulation.pass(HOUR);
    for (let days = 0; days < 16; days += 1) {
      simulation.sleep(23 * HOUR);
      await simulation.pass(HOUR);
    }
    const of = (wanted: string): readonly string[] =>
      simulation.started.filter(({ kind }) => kind === wanted).map(({ at }) => new Date(at).toISOString().slice(0, 10));
    expect(of('drill')).toEqual(['2026-11-09', '2026-11-16']);
    expect(of('verify')).toEqual(['2026-11-09', '2026-11-16']);
  });

  test('do not run without a backup, and wait while everything is paused', async () => {
    await using simulation = new SchedulerSimulation('2026-11-02T18:00Z');
    simulation.set('documents', 'manual', { drill });
    await simulation.start();
    simulation.sleep(15 * DAY);
    await simulation.pass(HOUR);
    expect(simulation.started).toEqual([]);
    simulation.ended('documents');
    simulation.scheduler.pause();
    simulation.scheduler.runEnded();
    simulation.sleep(8 * DAY);
    await simulation.pass(HOUR);
    expect(simulation.scheduler.drills().get('documents')).toMatchObject({
      kind: 'waiting',
      reason: { kind: 'paused' },
    });
    expect(simulation.scheduler.verifications().get('documents')).toBeUndefined();
  });
});
