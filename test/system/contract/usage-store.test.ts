import { expect, test } from 'vitest';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { createUsageStore } from '../../../src/service/usage/usage-store.ts';
import { describeOnEveryDatabase } from './databases.ts';

const DAY = 86_400_000;

/** Two accounts with a device and a set each; `runs` are those of the first. */
async function fill({ queries }: SqlDatabase, runs: readonly object[]): Promise<void> {
  for (const [index, id] of ['a', 'b'].entries()) {
    const account = { id, created_at: 1, storage_used: 0 };
    await queries.insertInto('account').values(account).execute();
    const device = {
      id: `d${id}`,
      account_id: id,
      name: `Laptop ${id}`,
      os: 'linux',
      agent_version: '1',
      created_at: 1,
    };
    const rest = { key_hash: Buffer.alloc(32), permissions_json: '[]', last_backup: null, revoked_at: null };
    await queries
      .insertInto('device')
      .values({ ...device, ...rest })
      .execute();
    const set = { number: index + 1, account_id: id, device_id: `d${id}`, name: 'Documents' };
    await queries.insertInto('backup_set').values(set).execute();
  }
  const other = { account_id: 'b', device_id: 'db', set_number: 2, restore_point: DAY, bytes: 7, sequence: 99 };
  for (const [index, run] of [...runs, other].entries()) {
    const session = { id: `s${index}`, account_id: 'a', device_id: 'da', set_number: 1, state: 'completed' };
    await queries
      .insertInto('session')
      .values({ ...session, created_at: 1, active_at: 1, base: 0, ...run })
      .execute();
  }
}

const run = (sequence: number, at: number, [files, bytes, fresh]: readonly [number, number, number], used: number) => ({
  sequence,
  restore_point: at,
  files,
  bytes,
  bytes_needed: fresh,
  storage_used: used,
});

describeOnEveryDatabase('the use of an account', (open) => {
  test('is empty in an empty database', async () => {
    const usage = createUsageStore(await open());
    expect([await usage.days('a', 0), await usage.sets('a')]).toEqual([[], []]);
  });

  test('is summed by day for one account, with sizes beyond 32 bits', async () => {
    const database = await open();
    const large = 5 * 2 ** 40;
    await fill(database, [
      run(1, 2 * DAY - 1, [1, 10, 10], 50),
      run(2, 2 * DAY, [2, large, 3], 60),
      run(4, 3 * DAY - 1, [3, 5, 4], large),
      run(3, 2 * DAY + 5, [2, 1, 0], 61),
      { state: 'failed', bytes: 1000 },
    ]);
    const usage = createUsageStore(database);
    expect(await usage.days('a', 0)).toEqual([
      { day: 1, runs: 1, bytes: 10, bytesNew: 10, storageUsed: 50 },
      { day: 2, runs: 3, bytes: large + 6, bytesNew: 7, storageUsed: large },
    ]);
    expect(await usage.days('a', 2 * DAY)).toHaveLength(1);
  });

  test('includes the newest restore point of each set, without removed ones', async () => {
    const database = await open();
    await fill(database, [
      run(1, 100, [1, 10, 10], 50),
      run(2, 200, [2, 20, 3], 60),
      { ...run(3, 300, [3, 30, 4], 70), removed_at: 400 },
    ]);
    const set = { deviceId: 'da', deviceName: 'Laptop a', name: 'Documents' };
    const usage = createUsageStore(database);
    expect(await usage.summaries(await usage.sets('a'))).toMatchObject([
      { ...set, restorePoints: 2, lastRestorePoint: 200, files: 2, bytes: 20 },
    ]);
  });

  test('includes sets without a completed backup', async () => {
    const database = await open();
    await fill(database, []);
    const usage = createUsageStore(database);
    const sets = await usage.sets('a');
    expect(await usage.sets('a', 'unknown')).toEqual([]);
    expect(await usage.sets('a', sets[0]!.deviceId)).toEqual(sets);
    const [set] = await usage.summaries(sets);
    expect(set).toMatchObject({ restorePoints: 0, lastRestorePoint: undefined, files: 0, bytes: 0 });
  });
});
