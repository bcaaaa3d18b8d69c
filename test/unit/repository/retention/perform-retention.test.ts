import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
import { tidyRepository } from '../../../../src/repository/retention/tidy-repository.ts';
import type { RetentionRequest } from '../../../../src/protocol/retention.ts';
import { RESERVE_FILE } from '../../../../src/format/repository/file-names.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { SmallStorage, usedBytes } from '../../../helpers/storage/small-storage.ts';
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

  test.each(['set', 'unpin', 'release', 'apply', 'remove', 'tidy'] as const)(
    'takes the reserve for a decision (%s) at a store without room, so that space can be freed',
    async (step) => {
      const quota = { most: Infinity };
      const storage = new SmallStorage(files, () => time.now, quota);
      using one = new Device(keys, time, { name: 'one', storage, folder });
      const oldest = await one.backup('set', chunksOf(1));
      const removed = await one.backup('set', chunksOf(1));
      await one.backup('set', chunksOf(1));
      const request = { device_id: one.computer.id, backup_set: 'set' };
      const policy = { keep_all_days: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 1, time_zone: 'UTC' };
      await perform(one, { action: 'pin', ...request, backup_id: oldest });
      if (step === 'apply' || step === 'tidy') await perform(one, { action: 'set', ...request, policy });
      await one.repository.reserve.keep();
      quota.most = usedBytes(files);
      time.now += 2 * DAY;
      switch (step) {
        case 'set':
          await perform(one, { action: 'set', ...request, policy });
          break;
        case 'unpin':
        case 'remove':
          await perform(one, { action: step, ...request, backup_id: step === 'unpin' ? oldest : removed });
          break;
        case 'tidy':
          await tidyRepository(one.repository, one.collector);
          break;
        default:
          await perform(one, { action: step, ...request });
      }
      expect(files.has(RESERVE_FILE)).toBe(false);
      const { points } = one.repository.projection;
      expect(points.all()).toHaveLength(['apply', 'remove', 'tidy'].includes(step) ? 2 : 3);
      expect(points.policy({ device: one.computer.id, set: 'set' }) !== undefined).toBe(
        ['set', 'apply', 'tidy'].includes(step),
      );
      expect(points.find(Buffer.from(oldest, 'hex'))?.isPinned).toBe(step !== 'unpin');
    },
  );

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
