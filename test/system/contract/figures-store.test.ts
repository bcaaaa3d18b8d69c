import { expect, test } from 'vitest';
import { createFiguresStore } from '../../../src/service/usage/figures-store.ts';
import { describeOnEveryDatabase } from './databases.ts';

describeOnEveryDatabase('the figures of a service', (open) => {
  test('are zero in an empty database', async () => {
    expect(await createFiguresStore(await open()).figures()).toEqual({
      accounts: 0,
      devices: 0,
      sessions: { waiting: 0, receiving: 0, open: 0 },
      restorePoints: 0,
      newestRestorePoint: undefined,
      storageUsed: 0,
      webhooks: { waiting: 0, oldestWaiting: undefined },
    });
  });

  test('count the current rows of all accounts', async () => {
    const database = await open();
    const { queries } = database;
    for (const id of ['a', 'b']) {
      await queries.insertInto('account').values({ id, created_at: 1, storage_used: 1000 }).execute();
      for (const [index, revoked] of [null, 5].entries()) {
        const device = {
          id: `${id}${index}`,
          account_id: id,
          name: 'n',
          os: 'linux',
          agent_version: '1',
          created_at: 1,
        };
        const rest = { key_hash: Buffer.alloc(32), permissions_json: '[]', last_backup: null, revoked_at: revoked };
        await queries
          .insertInto('device')
          .values({ ...device, ...rest })
          .execute();
      }
      const endpoint = { id: `e${id}`, account_id: id, url: 'https://a.example/', events_json: '[]', secret: 's' };
      await queries
        .insertInto('webhook_endpoint')
        .values({ ...endpoint, created_at: 1, disabled_at: null })
        .execute();
    }
    await queries.insertInto('backup_set').values({ number: 1, account_id: 'a', device_id: 'a0', name: 's' }).execute();
    const session = { account_id: 'a', device_id: 'a0', set_number: 1, created_at: 1, active_at: 1, base: 0 };
    const sessions = [
      { state: 'open', swept: 0 },
      { state: 'open', swept: 0 },
      { state: 'waiting', swept: 0 },
      { state: 'failed', swept: 1 },
      { state: 'completed', swept: 1, sequence: 1, restore_point: 4_000 },
      { state: 'completed', swept: 0, sequence: 2, restore_point: 9_000 },
    ];
    for (const [index, one] of sessions.entries()) {
      await queries
        .insertInto('session')
        .values({ ...session, ...one, id: `s${index}` })
        .execute();
    }
    const delivery = { endpoint_id: 'ea', event: 'backup.completed', body: '{}', attempts: 0 };
    for (const [index, due] of [null, 7, 8].entries()) {
      await queries
        .insertInto('webhook_delivery')
        .values({ ...delivery, id: `d${index}`, created_at: index + 20, next_attempt_at: due })
        .execute();
    }
    expect(await createFiguresStore(database).figures()).toEqual({
      accounts: 2,
      devices: 2,
      sessions: { waiting: 1, receiving: 0, open: 2 },
      restorePoints: 2,
      newestRestorePoint: 9_000,
      storageUsed: 2_000,
      webhooks: { waiting: 2, oldestWaiting: 21 },
    });
  });

  test('measure devices and their sets, those with the oldest backups first', async () => {
    const database = await open();
    const { queries } = database;
    await queries.insertInto('account').values({ id: 'a', created_at: 1 }).execute();
    const device = { account_id: 'a', os: 'x', agent_version: '1', key_hash: Buffer.alloc(1), permissions_json: '[]' };
    const add = (id: string, created: number, last: number | null, revoked: number | null = null) =>
      queries
        .insertInto('device')
        .values({ ...device, id, name: `name of ${id}`, created_at: created, last_backup: last, revoked_at: revoked })
        .execute();
    await add('d_new', 500, null);
    await add('d_old', 1, 300);
    await add('d_fresh', 1, 900);
    await add('d_gone', 1, 2, 3);
    const set = (number: number, id: string, name: string) =>
      queries.insertInto('backup_set').values({ number, account_id: 'a', device_id: id, name }).execute();
    await set(1, 'd_old', 'docs');
    await set(2, 'd_old', 'empty');
    await set(3, 'd_gone', 'docs');
    const session = { account_id: 'a', device_id: 'd_old', set_number: 1, created_at: 1, active_at: 1, base: 0 };
    for (const [sequence, bytes] of [70, 80].entries()) {
      const point = { sequence: sequence + 1, restore_point: 200 + 100 * sequence, bytes, state: 'completed' };
      await queries
        .insertInto('session')
        .values({ ...session, ...point, id: `s${sequence}` })
        .execute();
    }
    const alarm = { id: 'alm', account_id: 'a', session_id: 's1', device_id: 'd_old', set_number: 1, set_name: 'docs' };
    await queries
      .insertInto('alarm')
      .values({ ...alarm, reasons_json: '[]', raised_at: 300 })
      .execute();
    const figures = createFiguresStore(database);
    const expected = {
      id: 'd_old',
      name: 'name of d_old',
      lastSeen: 300,
      successSince: 300,
      lastBackup: 300,
      hasAlarm: false,
      sets: [
        { name: 'docs', lastSuccess: 300, bytes: 80, hasAlarm: false },
        { name: 'empty', lastSuccess: undefined, bytes: 0, hasAlarm: false },
      ],
    };
    expect((await figures.devices(9)).map(({ id }) => id)).toEqual(['d_old', 'd_fresh', 'd_new']);
    expect((await figures.devices(1))[0]).toEqual({ ...expected, sets: [expected.sets[0]] });
    expect((await figures.devices(9))[0]).toEqual(expected);
    expect((await figures.devices(9))[2]).toMatchObject({ successSince: 500, lastBackup: undefined, sets: [] });
    await queries.insertInto('retention_account').values({ account_id: 'a', held_at: 300 }).execute();
    expect((await figures.devices(9))[0]).toMatchObject({
      hasAlarm: true,
      sets: [{ hasAlarm: true }, { hasAlarm: false }],
    });
  });

  test('devices with a backup come before empty ones, and accounts and devices in turn', async () => {
    const database = await open();
    const { queries } = database;
    const add = async (account: string, id: string, lastBackup: number | null, sets: readonly string[] = []) => {
      await queries
        .insertInto('device')
        .values({
          id,
          account_id: account,
          name: id,
          os: 'linux',
          agent_version: '1',
          created_at: 1,
          key_hash: Buffer.alloc(32),
          permissions_json: '[]',
          last_backup: lastBackup,
          revoked_at: null,
        })
        .execute();
      for (const name of sets)
        await queries.insertInto('backup_set').values({ account_id: account, device_id: id, name }).execute();
    };
    for (const id of ['a', 'b']) await queries.insertInto('account').values({ id, created_at: 1 }).execute();
    for (let empty = 0; empty < 30; empty += 1) await add('a', `empty-${empty}`, null);
    for (let own = 0; own < 3; own += 1) await add('a', `own-${own}`, 10 + own, ['x', 'y', 'z']);
    await add('b', 'other-new', 90, ['x']);
    await add('b', 'other-old', 80, ['x']);
    const devices = await createFiguresStore(database).devices(5);
    expect(devices.map(({ id }) => id)).toEqual(['own-0', 'other-old', 'own-1', 'other-new', 'own-2']);
    expect(devices.map(({ sets }) => sets.map(({ name }) => name))).toEqual([['x'], ['x'], ['x'], ['x'], ['x']]);
    expect((await createFiguresStore(database).devices(100)).flatMap(({ sets }) => sets)).toHaveLength(11);
  });
});
