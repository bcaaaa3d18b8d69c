import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { retentionPolicy } from '../../../../src/protocol/retention.ts';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
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

describe('a policy that is applied while this computer’s clock is ahead', () => {
  test('removes no day that it would keep by the clock of the store', async () => {
    const storage = new MemoryStorage(new Map(), () => time.now);
    const world = await createWorld(storage, time);
    const writerKey = newWriterKey();
    const withClock = async (clockError: number, use: (one: Device) => Promise<void>): Promise<void> => {
      using one = new Device(world, time, { name: 'clock', writerKey, storage, folder, clockError });
      await use(one);
    };
    const timesOf = ({ repository }: Device): readonly number[] =>
      repository.projection.points.ofSet({ device: writerKey.id, set: 'set' }).map((point) => point.time);
    let days: readonly number[] = [];
    await withClock(0, async (one) => {
      for (let day = 0; day < 5; day += 1) {
        await one.backup('set', chunksOf(1));
        time.now += DAY;
      }
      days = timesOf(one).toSorted((a, b) => b - a);
      const policy = retentionPolicy.parse({ daily: 3 });
      const request = { action: 'set', device_id: writerKey.id, backup_set: 'set', policy } as const;
      await performRetention(one.repository, one.collector, request);
    });
    for (const years of [70, 71, 72]) {
      await withClock(years * 365 * DAY, async (one) => {
        await one.backup('set', chunksOf(1));
        await tidyRepository(one.repository, one.collector);
      });
    }
    await withClock(0, async (one) => {
      await one.repository.refresh();
      expect(timesOf(one)).toEqual(expect.arrayContaining(days.slice(0, 3)));
    });
  });
});
