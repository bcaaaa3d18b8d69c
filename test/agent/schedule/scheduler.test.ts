import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scheduleFile } from '../../../src/agent/schedule/schedule-file.ts';
import { HoldfastError } from '../../../src/base/errors.ts';
import { DAY, HOUR, MINUTE, SECOND, SchedulerWorld } from './scheduler-world.ts';

process.env['TZ'] = 'UTC';

const EVENING = Date.parse('2026-11-02T18:30Z');

async function started(
  start: string,
  ...sets: readonly (readonly [name: string, schedule: string])[]
): Promise<SchedulerWorld> {
  const world = new SchedulerWorld(start);
  for (const [name, schedule] of sets) world.set(name, schedule);
  await world.start();
  return world;
}

describe('a moment', () => {
  test('starts its run and shows it', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.plans = [{ takes: 5 * MINUTE }];
    expect(world.decision('documents')).toEqual({ kind: 'next', at: EVENING });
    const changes = world.changes;
    await world.pass(29 * MINUTE);
    expect(world.changes).toBe(changes);
    await world.pass(2 * MINUTE);
    expect(world.decision('documents')).toEqual({ kind: 'running', since: EVENING, trigger: 'schedule' });
    await world.pass(10 * MINUTE);
    expect(world.decision('documents')).toEqual({ kind: 'next', at: EVENING + DAY });
    expect(world.scheduler.lastMoments().get('documents')).toEqual({ dueAt: EVENING, ranAt: EVENING });
    expect(world.told).toEqual(['backup documents 11-02 18:30 schedule']);
    expect(world.changes).toBe(changes + 2);
  });

  test('that passed during sleep is served once within a minute of waking, without a wake event', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await world.pass(MINUTE);
    world.sleep(14 * HOUR);
    await world.pass(MINUTE);
    expect(world.told).toEqual(['backup documents 11-03 08:01 missed']);
    const moment = world.scheduler.lastMoments().get('documents');
    expect(moment).toMatchObject({ dueAt: EVENING, lateBy: 'asleep' });
    await world.pass(HOUR);
    expect(world.started).toHaveLength(1);
  });

  test('that passed during sleep is served immediately after a wake event', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.sleep(14 * HOUR);
    world.scheduler.wake('resumed');
    await world.pass(16 * SECOND);
    expect(world.started).toHaveLength(1);
  });

  test.each([
    ['in order', false],
    ['by a crash', true],
  ])('that passed while the program was off is served after it had ended %s', async (_, crash) => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await world.pass(MINUTE);
    await world.restart(14 * HOUR, crash);
    await world.pass(MINUTE);
    expect(world.told).toEqual(['backup documents 11-03 08:01 missed']);
    expect(world.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'off' });
    await world.restart(MINUTE, crash);
    await world.pass(HOUR);
    expect(world.started).toHaveLength(1);
    expect(world.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'off' });
  });

  test('is not served again after the clock was set back', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await world.pass(31 * MINUTE);
    world.sleep(-20 * MINUTE);
    await world.pass(HOUR);
    expect(world.told).toEqual(['backup documents 11-02 18:30 schedule']);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['torn', '{"version":1,"seenAt":17'],
    ['of zeros', '\0\0\0\0'],
    ['of another form', '{"version":1,"seenAt":"yesterday","sets":{}}'],
    ['of a newer version', '{"version":2}'],
  ])('has at most one superfluous run when the record is %s', async (_, content) => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['pictures', 'hourly']);
    await world.pass(HOUR);
    const before = world.started.length;
    await world.scheduler.close();
    if (content === undefined) rmSync(scheduleFile(world.home));
    else writeFileSync(scheduleFile(world.home), content);
    await world.restart(0, true);
    await world.pass(30 * MINUTE);
    expect(world.started.slice(before)).toEqual([]);
    await world.pass(31 * MINUTE);
    expect(world.told.slice(before)).toEqual(['backup pictures 11-02 20:00 schedule']);
  });
});

describe('the record', () => {
  test('is not written in a home without sets', async () => {
    await using world = await started('2026-11-02T18:00Z');
    await world.pass(HOUR);
    await world.scheduler.close();
    expect(existsSync(scheduleFile(world.home))).toBe(false);
  });

  test('is not written while nothing happens', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const before = readFileSync(scheduleFile(world.home), 'utf8');
    await world.pass(9 * MINUTE);
    expect(readFileSync(scheduleFile(world.home), 'utf8')).toBe(before);
  });

  test('may fail to be written without stopping runs', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    rmSync(world.home.folder, { recursive: true });
    await world.pass(HOUR);
    expect(world.started).toHaveLength(1);
  });
});

describe('a pause', () => {
  test('delays runs until its end, across a restart', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['mine', 'manual']);
    const until = EVENING + HOUR;
    world.scheduler.pause(until);
    await world.pass(MINUTE);
    const since = Date.parse('2026-11-02T18:00Z');
    expect(world.decision('documents')).toEqual({ kind: 'waiting', since, reason: { kind: 'paused', until } });
    expect(world.decision('mine')).toEqual({ kind: 'manual' });
    await world.restart(10 * MINUTE);
    expect(world.scheduler.paused).toEqual({ until });
    await world.until('2026-11-02T19:29Z');
    expect(world.started).toEqual([]);
    await world.pass(2 * MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 19:30 schedule']);
    expect(world.scheduler.paused).toBeUndefined();
    expect(world.scheduler.lastMoments().get('documents')).toMatchObject({
      lateBy: 'waited',
      waitedFor: { kind: 'paused', until },
    });
  });

  test('without an end lasts until it is resumed', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.scheduler.pause();
    await world.pass(5 * HOUR);
    world.sleep(3 * DAY);
    await world.pass(HOUR);
    expect(world.scheduler.paused).toEqual({});
    expect(world.started).toEqual([]);
    world.scheduler.resume();
    await world.pass(SECOND);
    expect(world.told).toEqual(['backup documents 11-06 00:00 schedule']);
  });

  test('is not prolonged by setting the clock back', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'hourly']);
    world.scheduler.pause(world.now + HOUR);
    await world.pass(MINUTE);
    world.sleep(-30 * DAY);
    await world.pass(2 * HOUR + MINUTE);
    expect(world.started.length).toBeGreaterThan(0);
  });
});

describe('a due run waits', () => {
  test('for mains power and reports it', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.set('documents', 'daily 18:30', { conditions: { onlyOnMains: true } });
    world.power = { onBattery: true, percent: 31 };
    await world.start();
    await world.pass(20 * MINUTE);
    expect(world.readingsAsked).toBe(0);
    await world.pass(20 * MINUTE);
    expect(world.decision('documents')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'battery', percent: 31 },
    });
    world.power = { onBattery: false, percent: 31 };
    world.scheduler.wake('power');
    await world.pass(SECOND);
    expect(world.told).toEqual(['backup documents 11-02 18:40 schedule']);
    expect(world.scheduler.lastMoments().get('documents')).toMatchObject({ lateBy: 'waited' });
  });

  test('for an unmetered network', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.set('documents', 'daily 18:30', { conditions: { notMetered: true, networks: ['Home'] } });
    world.network = { isOnline: true, isMetered: true, medium: 'wireless', name: 'Phone' };
    await world.start();
    await world.pass(31 * MINUTE);
    expect(world.decision('documents')).toMatchObject({ reason: { kind: 'metered' } });
    world.network = { ...world.network, isMetered: false };
    await world.pass(MINUTE);
    expect(world.decision('documents')).toMatchObject({ reason: { kind: 'network', name: 'Phone' } });
    world.network = { ...world.network, name: 'Home' };
    await world.pass(MINUTE);
    expect(world.started).toHaveLength(1);
  });

  test('for the disk', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.isPresent = false;
    await world.pass(HOUR);
    expect(world.decision('documents')).toMatchObject({ reason: { kind: 'destination', place: '/media/disk' } });
    world.isPresent = true;
    await world.pass(MINUTE);
    expect(world.started).toHaveLength(1);
  });

  test('for another set', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['pictures', 'daily 18:30']);
    world.plans = [{ takes: 10 * MINUTE }, { takes: MINUTE }];
    await world.pass(31 * MINUTE);
    expect(world.decision('documents')).toMatchObject({ kind: 'running' });
    expect(world.decision('pictures')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'other-run', set: 'documents' },
    });
    await world.pass(HOUR);
    expect(world.told).toEqual(['backup documents 11-02 18:30 schedule', 'backup pictures 11-02 18:40 schedule']);
    expect(world.scheduler.lastMoments().get('pictures')).toMatchObject({ lateBy: 'busy' });
  });

  test('for another process and retries', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30'], ['pictures', 'daily 18:30']);
    const busy = { refusedWith: new HoldfastError('home_busy', { command: 'backup music' }) };
    world.plans = [busy, busy, busy];
    await world.pass(30 * MINUTE + 10 * SECOND);
    const waiting = { kind: 'waiting', reason: { kind: 'busy', holder: 'backup music' } };
    expect(world.decision('documents')).toMatchObject(waiting);
    expect(world.decision('pictures')).toMatchObject(waiting);
    expect(world.plans).toHaveLength(2);
    await world.pass(2 * MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 18:31 schedule', 'backup pictures 11-02 18:31 schedule']);
    expect(world.scheduler.lastMoments().get('documents')).toMatchObject({
      lateBy: 'busy',
      waitedFor: { kind: 'busy', holder: 'backup music' },
    });
  });
});

describe("a person's run", () => {
  test('is shown and serves a moment that passes during it', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    await world.pass(20 * MINUTE);
    const startedAt = world.now;
    world.foreign = 'documents';
    world.scheduler.setsChanged();
    await world.pass(20 * MINUTE);
    expect(world.decision('documents')).toEqual({ kind: 'running', since: startedAt, trigger: 'person' });
    world.foreign = undefined;
    world.ended('documents', { startedAt });
    world.scheduler.runEnded();
    await world.pass(HOUR);
    expect(world.decision('documents')).toEqual({ kind: 'next', at: EVENING + DAY });
    expect(world.started).toEqual([]);
  });
});

describe('a failed run', () => {
  test('is retried depending on its failure', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const failure = { code: 'destination_full', details: { directory: '/media/disk' } } as const;
    world.plans = [
      { outcome: 'failed', failure },
      { outcome: 'failed', failure },
    ];
    await world.pass(31 * MINUTE);
    const at = EVENING + 5 * MINUTE;
    expect(world.decision('documents')).toEqual({
      kind: 'waiting',
      since: EVENING,
      reason: { kind: 'retry', at, failure },
    });
    await world.pass(HOUR);
    expect(world.told).toEqual([
      'backup documents 11-02 18:30 schedule',
      'backup documents 11-02 18:35 schedule',
      'backup documents 11-02 18:50 schedule',
    ]);
    expect(world.decision('documents')).toMatchObject({ kind: 'next' });
    expect(world.scheduler.lastMoments().get('documents')).toEqual({ dueAt: EVENING, ranAt: EVENING });
  });

  test('is retried even without a journal record, and earlier after a network change', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    const refusedWith = new HoldfastError('service_unreachable', { address: 'https://backup.example.org' });
    world.plans = [{ refusedWith }, { refusedWith }];
    await world.until('2026-11-02T18:40Z');
    expect(world.plans).toEqual([]);
    expect(world.decision('documents')).toMatchObject({ reason: { kind: 'retry', at: EVENING + 20 * MINUTE } });
    world.networkMark = '198.51.100.7';
    await world.pass(MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 18:40 schedule']);
  });

  test('is retried after a restart, at its time', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.plans = [{ outcome: 'failed' }];
    await world.pass(31 * MINUTE);
    await world.restart(MINUTE);
    await world.pass(SECOND);
    expect(world.decision('documents')).toMatchObject({ reason: { kind: 'retry', at: EVENING + 5 * MINUTE } });
    await world.pass(10 * MINUTE);
    expect(world.started).toHaveLength(2);
  });

  test('that ended with its process resumes after the next start', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.plans = [{ takes: DAY }];
    await world.pass(40 * MINUTE);
    world.ended('documents', { startedAt: EVENING, outcome: 'interrupted' });
    world.foreign = undefined;
    await world.scheduler.close();
    await using next = new SchedulerWorld('2026-11-02T20:00Z');
    writeFileSync(scheduleFile(next.home), readFileSync(scheduleFile(world.home)));
    next.journal.set('documents', world.journal.get('documents') ?? {});
    next.set('documents', 'daily 18:30');
    await next.restart(0, true);
    await next.pass(MINUTE);
    expect(next.told).toEqual(['backup documents 11-02 20:00 resume']);
    await next.pass(HOUR);
    expect(next.started).toHaveLength(1);
  });
});

describe('on change', () => {
  const after = 'on change after 10 minutes';

  async function watched(): Promise<SchedulerWorld> {
    const world = new SchedulerWorld('2026-11-02T18:00Z');
    world.set('documents', after);
    world.ended('documents');
    await world.start();
    await world.pass(11 * MINUTE);
    world.started.length = 0;
    return world;
  }

  test('starts a run after a quiet time, with the changed folders first', async () => {
    await using world = await watched();
    expect(world.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
    world.watchers.get('documents')?.change('/home/anna/documents/letters');
    await world.pass(0);
    expect(world.decision('documents')).toEqual({ kind: 'quiet', until: world.now + 10 * MINUTE });
    await world.pass(5 * MINUTE);
    world.watchers.get('documents')?.change('/home/anna/documents/taxes');
    await world.pass(11 * MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 18:26 change']);
    expect(world.started[0]?.first).toEqual(['/home/anna/documents/letters', '/home/anna/documents/taxes']);
    expect(world.decision('documents')).toEqual({ kind: 'watching', isPartial: false });
  });

  test('reports that some changes go unnoticed', async () => {
    await using world = await watched();
    const watcher = world.watchers.get('documents');
    if (watcher) watcher.limitation = 'watch-limit';
    await world.pass(MINUTE);
    expect(world.decision('documents')).toEqual({ kind: 'watching', isPartial: true });
    await world.pass(16 * MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 18:25 schedule']);
  });

  test('starts a run after a start, since changes while the program was off are unknown', async () => {
    await using world = await watched();
    await world.restart(MINUTE);
    await world.pass(9 * MINUTE);
    expect(world.started).toEqual([]);
    await world.pass(2 * MINUTE);
    expect(world.told).toEqual(['backup documents 11-02 18:22 change']);
  });

  test('replaces the watcher of an edited set and closes that of a removed one', async () => {
    await using world = await watched();
    const first = world.watchers.get('documents');
    world.set('documents', after, { roots: ['/home/anna/other'] });
    await world.pass(0);
    const second = world.watchers.get('documents');
    expect([first?.isClosed, second?.isClosed, first === second]).toEqual([true, false, false]);
    world.set('documents', 'manual');
    await world.pass(0);
    expect(second?.isClosed).toBe(true);
  });
});

describe('verification', () => {
  const verification = { everyDays: 2, samplePercent: 5 };

  test('runs every so many days after a backup', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.set('documents', 'daily 18:30', { verification });
    await world.start();
    for (let days = 0; days < 5; days += 1) {
      world.sleep(23 * HOUR);
      await world.pass(HOUR);
    }
    const verified = world.started.filter(({ kind }) => kind === 'verify');
    expect(verified.map(({ at }) => new Date(at).toISOString().slice(0, 16))).toEqual([
      '2026-11-04T18:00',
      '2026-11-06T18:00',
    ]);
    expect(verified[0]?.samplePercent).toBe(5);
  });

  test('has a decision of its own while it waits', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.ended('documents');
    world.set('documents', 'manual', { verification });
    await world.start();
    expect(world.scheduler.verifications().get('documents')).toMatchObject({ kind: 'next' });
    world.scheduler.pause();
    await world.pass(8 * DAY);
    expect(world.scheduler.verifications().get('documents')).toMatchObject({
      kind: 'waiting',
      reason: { kind: 'paused' },
    });
    expect(world.decision('documents')).toEqual({ kind: 'manual' });
  });

  test('does not run without a backup', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.set('documents', 'manual', { verification });
    await world.start();
    world.sleep(15 * DAY);
    await world.pass(HOUR);
    expect(world.started).toEqual([]);
  });

  test('is retried when it could not begin', async () => {
    await using world = new SchedulerWorld('2026-11-02T18:00Z');
    world.ended('documents');
    world.set('documents', 'manual', { verification });
    await world.start();
    world.sleep(8 * DAY);
    world.plans = [
      { refusedWith: new HoldfastError('service_unreachable', { address: 'https://backup.example.org' }) },
    ];
    await world.pass(30 * MINUTE);
    expect(world.told).toEqual(['verify documents 11-10 18:05']);
  });
});

describe('sets', () => {
  test('are scheduled anew when they are edited, added or removed', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.set('documents', 'daily 20:00');
    world.set('pictures', 'every 30 minutes');
    await world.pass(HOUR);
    expect(world.told).toEqual(['backup pictures 11-02 18:30 schedule', 'backup pictures 11-02 19:00 schedule']);
    world.sets = world.sets.filter(({ name }) => name === 'documents');
    world.scheduler.setsChanged();
    await world.pass(0);
    expect([...world.scheduler.decisions().keys()]).toEqual(['documents']);
  });

  test('with an unknown schedule are manual', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'at full moon']);
    expect(world.decision('documents')).toEqual({ kind: 'manual' });
  });

  test('have no decisions and no runs while they cannot be read', async () => {
    await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
    world.setsError = new HoldfastError('home_damaged');
    await world.pass(HOUR);
    expect(world.scheduler.decisions().size).toBe(0);
    expect(world.started).toEqual([]);
    world.setsError = undefined;
    await world.pass(MINUTE);
    expect(world.started).toHaveLength(1);
  });
});

test('starts nothing after close', async () => {
  await using world = await started('2026-11-02T18:00Z', ['documents', 'daily 18:30']);
  world.sleep(DAY);
  world.scheduler.wake('resumed');
  await world.scheduler.close();
  await world.pass(HOUR);
  expect(world.started).toEqual([]);
});
