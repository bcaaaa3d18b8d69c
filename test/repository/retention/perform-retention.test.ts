import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { performRetention } from '../../../src/repository/retention/perform-retention.ts';
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
