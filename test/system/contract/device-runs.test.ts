import { expect, test } from 'vitest';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { createAlarmStore } from '../../../src/service/alarms/alarm-store.ts';
import { createDeviceActivityStore } from '../../../src/service/devices/device-activity-store.ts';
import { createDeviceRunStore } from '../../../src/service/usage/device-run-store.ts';
import { describeOnEveryDatabase } from './databases.ts';

const DAY = 86_400_000;

/** Adds a device with a set. Returns the number of the set. */
async function withSet({ queries }: SqlDatabase): Promise<number> {
  await queries.insertInto('account').values({ id: 'a', created_at: 0 }).execute();
  const device = { id: 'd', account_id: 'a', name: 'Laptop', os: 'x', agent_version: '1', permissions_json: '[]' };
  await queries
    .insertInto('device')
    .values({ ...device, key_hash: Buffer.alloc(1), created_at: 0 })
    .execute();
  const { number } = await queries
    .insertInto('backup_set')
    .values({ account_id: 'a', device_id: 'd', name: 'docs' })
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly at: number;
  readonly sequence?: number;
  readonly removed?: boolean;
  readonly failure?: string;
  readonly stats?: object;
}

async function addRun({ queries }: SqlDatabase, set: number, row: Row): Promise<void> {
  const { id, state, at, sequence, removed = false, failure, stats } = row;
  await queries
    .insertInto('session')
    .values({
      id,
      account_id: 'a',
      device_id: 'd',
      set_number: set,
      state,
      created_at: at - 10,
      active_at: at,
      ended_at: state === 'open' ? null : at,
      base: 0,
      failure: failure ?? null,
      ...(sequence === undefined ? {} : { sequence, restore_point: at, backup_id: `b${sequence}` }),
      ...(removed ? { removed_at: at + 1 } : {}),
      ...(stats ? { stats_json: JSON.stringify(stats) } : {}),
    })
    .execute();
}

const STATS = {
  files_processed: 1,
  chunks_new: 0,
  chunks_deduped: 0,
  bytes_scanned: 0,
  bytes_uploaded: 0,
  duration_seconds: 1,
};

describeOnEveryDatabase('the history of a device', (open) => {
  test('has its runs, the newest first, and its days', async () => {
    const database = await open();
    const set = await withSet(database);
    await addRun(database, set, {
      id: 's1',
      state: 'completed',
      at: DAY + 5,
      sequence: 1,
      stats: { ...STATS, warnings: 3 },
    });
    await addRun(database, set, { id: 's2', state: 'failed', at: DAY + 6, failure: 'expired' });
    await addRun(database, set, { id: 's3', state: 'failed', at: 2 * DAY });
    await addRun(database, set, { id: 's4', state: 'completed', at: 2 * DAY + 1, sequence: 2, removed: true });
    await addRun(database, set, { id: 's5', state: 'continued', at: 2 * DAY + 2 });
    await addRun(database, set, { id: 's6', state: 'open', at: 2 * DAY + 3 });
    const runs = createDeviceRunStore(database);
    expect(await runs.runs('d', 10)).toMatchObject([
      { sessionId: 's6', state: 'running', endedAt: undefined },
      { sessionId: 's4', state: 'completed', warnings: 0 },
      { sessionId: 's3', state: 'failed', failure: undefined },
      { sessionId: 's2', state: 'failed', failure: 'expired', endedAt: DAY + 6 },
      { sessionId: 's1', state: 'completed', warnings: 3, setName: 'docs', isSuspicious: false },
    ]);
    expect(await runs.runs('d', 2)).toHaveLength(2);
    expect(await runs.runs('other', 2)).toEqual([]);
    expect(await runs.lastFailure('d')).toMatchObject({ sessionId: 's3' });
    expect(await runs.days('d', 0)).toEqual([
      { day: 1, completed: 1, failed: 1 },
      { day: 2, completed: 1, failed: 1 },
    ]);
    expect(await runs.days('d', 2 * DAY)).toHaveLength(1);
  });

  test('has an open alarm with its restore point until it is released', async () => {
    const database = await open();
    const set = await withSet(database);
    const alarms = createAlarmStore(database);
    const devices = createDeviceActivityStore(database);
    await addRun(database, set, { id: 's1', state: 'completed', at: 100, sequence: 1 });
    await addRun(database, set, { id: 's2', state: 'completed', at: 200, sequence: 2, removed: true });
    await addRun(database, set, { id: 's3', state: 'completed', at: 300, sequence: 3 });
    const raise = (sessionId: string, raisedAt: number) =>
      alarms.raise(
        {
          accountId: 'a',
          sessionId,
          deviceId: 'd',
          setNumber: set,
          setName: 'docs',
          reasons: ['mass_rewrite'],
          raisedAt,
        },
        { event: 'backup.started', data: {} } as never,
      );
    await raise('s0', 50);
    await raise('s3', 300);
    expect(await alarms.open('a', 9)).toEqual([]);
    const hold = (time: number | null) =>
      database.queries
        .insertInto('retention_account')
        .values({ account_id: 'a', held_at: time })
        .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ held_at: time }))
        .execute();
    await hold(300);
    expect(await alarms.open('a', 9)).toMatchObject([
      { sessionId: 's3', deviceName: 'Laptop', setName: 'docs', restorePoint: 300, lastGood: 100 },
    ]);
    expect((await devices.find('a', 'd'))?.lastAlarm).toBe(300);
    expect((await createDeviceRunStore(database).runs('d', 1))[0]).toMatchObject({ isSuspicious: true });
    await raise('s4', 400);
    expect(await alarms.open('a', 9)).toMatchObject([
      { sessionId: 's4', restorePoint: undefined, lastGood: 100 },
      { sessionId: 's3', lastGood: 100 },
    ]);
    expect(await alarms.open('a', 1)).toHaveLength(1);
    await hold(null);
    expect(await alarms.open('a', 9)).toEqual([]);
    expect((await devices.find('a', 'd'))?.lastAlarm).toBeUndefined();
  });
});
