import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tidyRepository } from '../../../../src/repository/retention/tidy-repository.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { chunksOf, createWorld, DAY, Device, removeFolder, temporaryFolder, WorldTime } from '../world.ts';

let folder: string;
let files: MemoryFiles;
let time: WorldTime;
let device: Device;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  const storage = new MemoryStorage(files);
  device = new Device(await createWorld(storage, time), time, { name: 'one', storage, folder });
});
afterEach(() => {
  device[Symbol.dispose]();
  removeFolder(folder);
});

const tidy = (): Promise<void> => tidyRepository(device.repository, device.collector);
const condemned = (): number => device.repository.projection.packs.condemned().length;

describe('tidying', () => {
  beforeEach(async () => {
    const leaving = await device.backup('set', chunksOf(3));
    await device.backup('other', chunksOf(2));
    await device.remove(leaving);
  });

  test('collects no sooner than a day after its first time', async () => {
    await tidy();
    time.now += DAY - 60_000;
    await tidy();
    expect(condemned()).toBe(0);
    time.now += 60_000;
    await tidy();
    // The second copy of its tree has a pack of its own.
    expect(condemned()).toBe(2);
  });

  test('collects once a day from then on', async () => {
    await tidy();
    time.now += DAY;
    await tidy();
    const leaving = await device.backup('set', chunksOf(3));
    await device.remove(leaving);
    await tidy();
    expect(condemned()).toBe(2);
    time.now += DAY;
    await tidy();
    expect(condemned()).toBe(4);
  });
});
