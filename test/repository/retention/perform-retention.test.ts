import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { performRetention } from '../../../src/repository/retention/perform-retention.ts';
import { tidyRepository } from '../../../src/repository/retention/tidy-repository.ts';
import type { RetentionRequest } from '../../../src/protocol/retention.ts';
import { MemoryStorage, type MemoryFiles } from '../../helpers/storage/memory-storage.ts';
import {
  chunksOf,
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../world.ts';

let folder: string;
let files: MemoryFiles;
let time: WorldTime;
let keys: WorldKeys;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  keys = await createWorld(new MemoryStorage(files), time);
});
afterEach(() => removeFolder(folder));

const device = (name: string, clockError = 0): Device =>
  new Device(keys, time, { name, storage: new MemoryStorage(files), folder, clockError });
const perform = ({ repository, collector }: Device, request: RetentionRequest) =>
  performRetention(repository, collector, request);

describe('retention', () => {
  test('removes a point whose tree is lost', async () => {
    using one = device('one');
    const point = await one.backup('set', chunksOf(2));
    for (const name of files.keys()) if (name.startsWith('packs/')) files.delete(name);
    await one.backup('set', chunksOf(2));
    await perform(one, {
      action: 'remove',
      device_id: one.computer.id,
      backup_set: 'set',
      backup_id: point,
    });
    expect(one.repository.projection.points.find(Buffer.from(point, 'hex'))).toBeUndefined();
  });

  test('removes nothing while a segment is missing', async () => {
    using one = device('one');
    using other = device('other');
    await other.backup('other', chunksOf(1));
    const point = await one.backup('set', chunksOf(1));
    await one.backup('set', chunksOf(1));
    await one.repository.refresh();
    const request = { device_id: one.computer.id, backup_set: 'set' };
    const policy = { keep_all_days: 0, hourly: 0, daily: 1, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };
    await perform(one, { action: 'set', ...request, policy });
    // What it stated, a pin for instance, is not known.
    const lost = files.keys().find((name) => name.startsWith('ledger/'));
    files.delete(lost!);
    using fresh = device('one');
    fresh.repository.projection.clear();
    await fresh.repository.refresh();
    expect(fresh.repository.projection.ledgers.damage()).not.toEqual([]);
    const refused = { code: 'retention_refused', details: { reason: expect.stringContaining('damaged') } };
    await expect(perform(fresh, { action: 'apply', ...request })).rejects.toMatchObject(refused);
    await expect(perform(fresh, { action: 'remove', ...request, backup_id: point })).rejects.toMatchObject(refused);
    time.now += 2 * DAY;
    await tidyRepository(fresh.repository, fresh.collector);
    expect(fresh.repository.projection.points.find(Buffer.from(point, 'hex'))).toBeDefined();
  });

  test('decides by the ledgers when the projection is damaged', async () => {
    using one = device('one');
    const point = await one.backup('set', chunksOf(1));
    await one.backup('set', chunksOf(1));
    const request = { device_id: one.computer.id, backup_set: 'set', backup_id: point };
    const policy = { keep_all_days: 0, hourly: 0, daily: 1, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };
    await perform(one, { action: 'set', device_id: one.computer.id, backup_set: 'set', policy });
    await perform(one, { action: 'pin', ...request });
    const { database } = one.repository.projection;
    // As a flipped bit: without the triggers that keep the sums.
    const unpin = (): void => {
      const other = new Database(database.name);
      other.exec('DELETE FROM pin');
      other.close();
    };
    unpin();
    time.now += 2 * DAY;
    await tidyRepository(one.repository, one.collector);
    expect(one.repository.projection.points.find(Buffer.from(point, 'hex'))).toBeDefined();
    unpin();
    await expect(perform(one, { action: 'remove', ...request })).rejects.toMatchObject({ code: 'retention_refused' });
  });

  test('refuses to remove a point that another computer has pinned meanwhile', async () => {
    using one = device('one');
    using other = device('other');
    const point = await one.backup('set', chunksOf(1));
    await one.backup('set', chunksOf(1));
    const request = { device_id: one.computer.id, backup_set: 'set', backup_id: point };
    // Between the decision and the segment.
    const { append } = one.repository;
    one.repository.append = async (decide, signal) => {
      await perform(other, { action: 'pin', ...request });
      return await append.call(one.repository, decide, signal);
    };
    await expect(perform(one, { action: 'remove', ...request })).rejects.toMatchObject({ code: 'retention_refused' });
  });

  test('takes the later decision about a pin when a clock is wrong by years', async () => {
    using ahead = device('ahead', 3_000 * DAY);
    using right = device('right');
    const point = await right.backup('set', chunksOf(1));
    const request = { device_id: right.computer.id, backup_set: 'set', backup_id: point };
    await perform(ahead, { action: 'pin', ...request });
    const { state } = await perform(right, { action: 'unpin', ...request });
    expect(state.points[0]?.pinned).toBe(false);
  });
});

describe('a device', () => {
  test('is continued by a computer whose clock is years behind', async () => {
    using before = device('before', 3_000 * DAY);
    await before.backup('set', chunksOf(1));
    const options = { name: 'after', storage: new MemoryStorage(files), folder, device: before.computer.id };
    using after = new Device(keys, time, { ...options, clockError: -3_000 * DAY });
    await after.backup('set', chunksOf(1));
    await after.backup('set', chunksOf(1));
    await expect(before.backup('set', chunksOf(1))).rejects.toMatchObject({ code: 'device_cloned' });
  });
});
