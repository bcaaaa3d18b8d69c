import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { chunksOf, createWorld, DAY, Device, removeFolder, temporaryFolder, WorldTime } from '../world.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

describe('a restore', () => {
  test('finds chunks whose pack was replaced and deleted meanwhile', async () => {
    const files: MemoryFiles = new Map();
    const time = new WorldTime();
    const storage = new MemoryStorage(files, () => time.now);
    const keys = await createWorld(storage, time);
    using one = new Device(keys, time, { name: 'one', storage, folder });
    using other = new Device(keys, time, { name: 'other', storage, folder });
    const chunks = chunksOf(6);
    const point = await one.backup('set', chunks);
    await one.backup('set', chunks.slice(0, 1));
    await one.remove(point);
    const pack = [...files.keys()].find((name) => name.startsWith('packs/'));
    await other.repository.refresh();
    for (let round = 0; round < 3; round += 1) {
      await one.collector.collect();
      time.now += 31 * DAY;
    }
    expect(files.has(pack!)).toBe(false);
    expect(await other.computer.lostNow(chunks.slice(0, 1))).toEqual([]);
  });
});
