import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import { testChunk } from '../fixture.ts';
import { createWorld, Device, removeFolder, temporaryFolder, WorldTime, type WorldKeys } from '../world.ts';

let folder: string;
let keys: WorldKeys;
let time: WorldTime;
let storage: MemoryStorage;
/** Bytes of the memory that each pack was written from. */
let held: number[];
beforeEach(async () => {
  folder = temporaryFolder();
  time = new WorldTime();
  storage = new MemoryStorage();
  keys = await createWorld(storage, time);
  held = [];
  const put = storage.put.bind(storage);
  storage.put = (name, parts, signal) => {
    if (name.startsWith('packs/')) held.push(parts[0]!.buffer.byteLength);
    return put(name, parts, signal);
  };
});
afterEach(() => removeFolder(folder));

describe('the memory of a pack', () => {
  test('is little for a small run', async () => {
    using one = new Device(keys, time, { name: 'one', storage, folder });
    await one.backup('set', [testChunk(1_000)]);
    expect(held).toHaveLength(2);
    expect(Math.max(...held)).toBeLessThan(1024 * 1024);
  });

  test('grows with what is in it', async () => {
    using one = new Device(keys, time, { name: 'one', storage, folder });
    const chunks = [100_000, 4_000_000, 100, 4_000_000, 700_000, 4_000_000, 4_000_000, 4_000_000].map((bytes) =>
      testChunk(bytes),
    );
    await one.backup('set', chunks);
    expect(await one.lostOf(chunks)).toEqual([]);
    expect(Math.max(...held)).toBeGreaterThan(16 * 1024 * 1024);
  });
});
