import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkRepository } from '../../../../src/repository/check/check-repository.ts';
import { packName, PACKS_FOLDER, RESERVE_FILE } from '../../../../src/format/repository/file-names.ts';
import { beginLocks, requireLocks } from '../../../../src/repository/locks/begin-locks.ts';
import { extendLocks } from '../../../../src/repository/locks/extend-locks.ts';
import { lockPeriod } from '../../../../src/repository/locks/lock-period.ts';
import { hiddenFiles, restoreVersion, showHidden } from '../../../../src/repository/locks/show-hidden.ts';
import { mendPacks } from '../../../../src/repository/repair/mend-packs.ts';
import { tidyRepository } from '../../../../src/repository/retention/tidy-repository.ts';
import { LockingStorage } from '../../../helpers/storage/locking-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import type { TestChunk } from '../fixture.ts';
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

const DAYS = 30;

let folder: string;
let files: MemoryFiles;
let time: WorldTime;
let keys: WorldKeys;
let storage: LockingStorage;
let one: Device;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  storage = new LockingStorage(files, () => time.now);
  keys = await createWorld(storage, time);
  one = new Device(keys, time, { name: 'one', storage, folder });
});
afterEach(() => {
  one[Symbol.dispose]();
  removeFolder(folder);
});

const packs = (): string[] => [...files.keys()].filter((name) => name.startsWith(PACKS_FOLDER));
const lockAll = (days = DAYS): Promise<void> => beginLocks(one.repository, days);
const end = (name: string): number => storage.state.ends.get(name) ?? 0;
/** The files that somebody may delete within so many days. */
/** Files whose lock ends within days, but for the reserve, which has to be deletable. */
const unlocked = (days: number): string[] =>
  [...files.keys()].filter((name) => name !== RESERVE_FILE && end(name) < time.now + days * DAY);

describe('the period of a lock', () => {
  test.each([
    [0, 0],
    [1, 3],
    [7, 10],
    [30, 40],
    [365, 487],
    [100_000, 487],
  ])('for %i days is %i days', (days, expected) => {
    expect(lockPeriod(days)).toBe(expected * DAY);
  });
});

describe('a repository whose files are locked', () => {
  test('is refused when the store cannot lock', async () => {
    await expect(requireLocks(new MemoryStorage(files))).rejects.toMatchObject({
      code: 'usage',
      details: { problem: 'bucket-without-locks' },
    });
    const lockless = new LockingStorage(files, () => time.now);
    lockless.locks.isSupported = async () => false;
    await expect(requireLocks(lockless)).rejects.toMatchObject({ details: { problem: 'bucket-without-locks' } });
    await requireLocks(storage);
  });

  test('has every file locked for its days when it begins, and after each backup', async () => {
    await one.backup('set', chunksOf(2));
    expect(unlocked(DAYS)).toHaveLength(files.size);
    await lockAll();
    expect(unlocked(DAYS)).toEqual([]);
    await one.backup('set', chunksOf(2));
    expect(unlocked(DAYS)).toEqual([]);
  });

  test('is locked by another computer, too, which reads of it', async () => {
    await lockAll();
    using other = new Device(keys, time, { name: 'other', storage, folder });
    await other.backup('set', chunksOf(2));
    expect(unlocked(DAYS)).toEqual([]);
  });

  test('keeps a longer minimum', async () => {
    await lockAll(60);
    await lockAll(7);
    expect(one.repository.projection.points.longestMinimumDays()).toBe(60);
  });

  test('is locked for the days of a retention lock of one set', async () => {
    const set = { device: one.repository.device.id, set: 'set' };
    await one.repository.append(() => [{ kind: 'minimum', ...set, days: DAYS }]);
    await one.backup('set', chunksOf(1));
    await extendLocks(one.repository);
    expect(unlocked(DAYS)).toEqual([]);
  });

  test('is not locked without a minimum retention', async () => {
    await one.backup('set', chunksOf(1));
    expect(await extendLocks(one.repository)).toBe(0);
    expect(storage.extended).toEqual([]);
    expect(unlocked(1)).toHaveLength(files.size);
  });

  test('asks for no lock twice within a third of the period', async () => {
    await one.backup('set', chunksOf(2));
    await lockAll();
    await one.backup('set', chunksOf(2));
    storage.extended.length = 0;
    for (let day = 0; day < 8; day += 1) {
      expect(await extendLocks(one.repository)).toBe(0);
      time.now += DAY;
    }
    expect(storage.extended).toEqual([]);
    time.now += 2 * DAY;
    const extended = await extendLocks(one.repository);
    expect(extended).toBe(files.size);
    expect(unlocked(DAYS)).toEqual([]);
    expect(await extendLocks(one.repository)).toBe(0);
  });

  test('is extended once a day by what follows a backup', async () => {
    await lockAll();
    await one.backup('set', chunksOf(2));
    await tidyRepository(one.repository, one.collector);
    time.now += 20 * DAY;
    storage.extended.length = 0;
    await tidyRepository(one.repository, one.collector);
    expect(unlocked(DAYS)).toEqual([]);
    const before = storage.extended.length;
    expect(before).toBeGreaterThan(4);
    await tidyRepository(one.repository, one.collector);
    expect(storage.extended).toHaveLength(before);
  });

  test('still knows its locks when the projection is built anew', async () => {
    await one.backup('set', chunksOf(2));
    await lockAll();
    storage.extended.length = 0;
    one.repository.projection.clear();
    await one.repository.refresh();
    expect(await extendLocks(one.repository)).toBe(0);
  });

  test('extends parity with its packs', async () => {
    const other = temporaryFolder();
    const store = new LockingStorage(new Map(), () => time.now);
    const withParity = await createWorld(store, time, 10);
    using device = new Device(withParity, time, { name: 'parity', storage: store, folder: other });
    await device.backup('set', chunksOf(2));
    await beginLocks(device.repository, DAYS);
    expect([...store.files.keys()].filter((name) => name.startsWith('parity/'))).not.toEqual([]);
    for (const name of store.files.keys()) expect(store.state.ends.get(name)).toBeGreaterThan(time.now + DAYS * DAY);
    removeFolder(other);
  });
});

describe('a pack that is condemned while it is locked', () => {
  let dead: string;
  let chunks: readonly TestChunk[];
  beforeEach(async () => {
    await lockAll(7);
    chunks = chunksOf(6);
    const removed = await one.backup('set', chunks);
    [dead] = packs() as [string];
    await one.backup('set', [chunks[0]!, ...chunksOf(1)]);
    await one.remove(removed);
  });

  async function collectAfter(days: number) {
    time.now += days * DAY;
    await one.collector.collect();
    return await one.collector.collect();
  }

  test('is deleted when its lock has ended, without an error and without asking again and again', async () => {
    await collectAfter(0);
    await collectAfter(4);
    expect(files.has(dead)).toBe(true);
    const asked = storage.deletions.filter((name) => name === dead).length;
    expect(asked).toBe(1);
    await collectAfter(1);
    expect(storage.deletions.filter((name) => name === dead)).toHaveLength(asked);
    await collectAfter(7);
    expect(files.has(dead)).toBe(false);
    expect(await one.computer.lost([chunks[0]!])).toEqual([]);
  });

  test('is not locked for longer', async () => {
    await collectAfter(0);
    const before = end(dead);
    time.now += 6 * DAY;
    await extendLocks(one.repository);
    const condemned = new Set(
      one.repository.projection.packs.condemned().map(({ hash }) => packName(hash.toString('hex'))),
    );
    expect(end(dead)).toBe(before);
    expect(packs().filter((name) => !condemned.has(name) && end(name) < time.now + 7 * DAY)).toEqual([]);
  });

  test('ends the collection when the store fails', async () => {
    await collectAfter(0);
    storage.delete = () => Promise.reject(new Error('broken'));
    await expect(collectAfter(4)).rejects.toThrow('broken');
  });
});

describe('files that somebody deleted in a store that keeps them', () => {
  let chunks: readonly TestChunk[];
  beforeEach(async () => {
    chunks = chunksOf(3);
    await one.backup('set', chunks);
    await lockAll();
  });

  test('are named by a check, and there again when they are shown', async () => {
    const names = [...files.keys()].toSorted();
    const [pack] = packs() as [string];
    const segment = names.find((name) => name.startsWith('ledger/'))!;
    for (const name of [pack, segment, 'holdfast.json']) storage.hide(name);
    const { findings } = await checkRepository(one.repository, { scratch: join(folder, 'check.sqlite') });
    for (const file of [pack, segment, 'holdfast.json']) expect(findings).toContainEqual({ file, problem: 'hidden' });
    expect((await showHidden(storage)).toSorted()).toEqual([pack, segment, 'holdfast.json'].toSorted());
    expect([...files.keys()].toSorted()).toEqual(names);
    expect(await one.computer.lost(chunks)).toEqual([]);
  });

  test('come back as their right version when they may not be shown', async () => {
    const [pack] = packs() as [string];
    storage.hide(pack);
    storage.locks.show = async () => false;
    expect(await showHidden(storage)).toEqual([pack]);
    expect(await one.computer.lost(chunks)).toEqual([]);
  });

  test('are not missed when Holdfast deleted them', async () => {
    const [pack] = packs() as [string];
    await one.repository.append(() => [{ kind: 'deleted', packs: [Buffer.from(pack.slice(-64), 'hex')] }]);
    storage.hide(pack);
    storage.state.covered.set('damaged/packs', files.get('holdfast.json')!);
    expect(await hiddenFiles(storage, one.repository.projection)).toEqual([]);
  });

  test('are not looked for where the store locks nothing', async () => {
    storage.locks.isSupported = async () => false;
    storage.hide(packs()[0]!);
    expect(await hiddenFiles(storage, undefined)).toEqual([]);
    expect(await restoreVersion(storage, packs()[0] ?? 'packs/none')).toBe(false);
    expect(await showHidden(new MemoryStorage(files))).toEqual([]);
  });

  test('stay as they are when no version is right', async () => {
    const [pack] = packs() as [string];
    const junk = randomBytes(100);
    storage.cover(pack, junk);
    storage.state.covered.set(pack, { bytes: randomBytes(100), created: time.now });
    expect(await restoreVersion(storage, pack)).toBe(false);
    expect(await restoreVersion(storage, 'holdfast.json')).toBe(false);
    expect(files.get(pack)!.bytes).toEqual(junk);
  });

  test('are made current again by a repair when others cover them', async () => {
    const [pack] = packs() as [string];
    const { length } = files.get(pack)!.bytes;
    storage.cover(pack, randomBytes(length));
    expect(await one.computer.lost(chunks)).not.toEqual([]);
    const hash = pack.slice(-64);
    expect(await mendPacks(one.repository, [hash])).toEqual(new Map([[hash, { bytes: length, outcome: 'shown' }]]));
    expect(await one.computer.lost(chunks)).toEqual([]);
  });
});
