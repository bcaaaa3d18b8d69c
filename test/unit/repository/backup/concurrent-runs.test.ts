import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_FOLDER } from '../../../../src/format/repository/file-names.ts';
import { FaultyStorage } from '../../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
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
let storage: FaultyStorage;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  storage = new FaultyStorage(new MemoryStorage(files, () => time.now));
  keys = await createWorld(storage, time);
});
afterEach(() => removeFolder(folder));

const device = (name: string): Device => new Device(keys, time, { name, storage, folder });
const broken = new Error('broken');

describe('two runs of one computer', () => {
  test('append at the same time', async () => {
    using one = device('one');
    await Promise.all([one.backup('a', chunksOf(2)), one.backup('b', chunksOf(2))]);
    expect(one.repository.projection.points.all()).toHaveLength(2);
  });

  test('do not count on a chunk that the other one failed to store', async () => {
    using one = device('one');
    const { computer } = one;
    const chunks = chunksOf(1);
    const first = await computer.begin('a', chunks);
    await computer.upload(first.sessionId, first.all);
    const second = await computer.begin('b', chunks);
    expect(second.needed.size).toBe(0);
    storage.plan('put', storage.calls.put + 1, { kind: 'fail-before', error: broken });
    await expect(computer.complete(first.sessionId, chunks)).rejects.toBe(broken);
    await expect(computer.complete(second.sessionId, chunks)).rejects.toMatchObject({ code: 'chunk_missing' });
    // The failure is over.
    await one.backup('b', chunks);
    expect(await one.lostOf(chunks)).toEqual([]);
  });

  test('notice that packs of their own were condemned and deleted while they slept', async () => {
    using one = device('one');
    using other = device('other');
    const { computer } = one;
    const chunks = chunksOf(2);
    const slow = await computer.begin('slow', chunks);
    await computer.upload(slow.sessionId, slow.all);
    // Another run stores and names the packs of both, and is removed.
    await one.backup('quick', chunksOf(1));
    await other.backup('set', chunksOf(1));
    for (let round = 0; round < 4; round += 1) {
      await other.collector.collect();
      time.now += 31 * DAY;
    }
    expect(await other.lostOf(chunks)).not.toEqual([]);
    await expect(computer.complete(slow.sessionId, chunks)).rejects.toMatchObject({ code: 'chunk_missing' });
    await one.backup('slow', chunks);
    expect(await other.lostOf(chunks)).toEqual([]);
  });
});

describe('a restore point', () => {
  test('is withdrawn when a pack that it counts on was condemned while it was written', async () => {
    using observer = device('observer');
    using collecting = device('collecting');
    const chunks = chunksOf(2);
    await observer.remove(await observer.backup('old', chunks));
    const slow = new MemoryStorage(files, () => time.now);
    const put = slow.put.bind(slow);
    let condemned = 0;
    slow.put = async (name, parts, signal) => {
      if (name.startsWith(LEDGER_FOLDER) && condemned === 0) ({ condemned } = await collecting.collector.collect());
      return await put(name, parts, signal);
    };
    using one = new Device(keys, time, { name: 'one', storage: slow, folder });
    const run = await one.computer.begin('set', chunks.slice(0, 1));
    expect(run.needed.has(chunks[0]!.hash)).toBe(false);
    await one.computer.upload(
      run.sessionId,
      run.all.filter(({ hash }) => run.needed.has(hash)),
    );
    const complete = one.computer.complete(run.sessionId, chunks.slice(0, 1));
    await expect(complete).rejects.toMatchObject({ code: 'chunk_missing', retryable: true });
    // The pack with its files and its tree, and the one with the second copy of the tree.
    expect(condemned).toBe(2);
    await observer.repository.refresh();
    expect(observer.repository.projection.points.all()).toEqual([]);
  });
});

describe('a computer', () => {
  test.each(['fail-before', 'fail-after'] as const)(
    'goes on after its segment was written or not: %s',
    async (kind) => {
      using one = device('one');
      await one.backup('set', chunksOf(1));
      // Two packs, then the segment.
      storage.plan('put', storage.calls.put + 3, { kind, error: broken });
      await expect(one.backup('set', chunksOf(1))).rejects.toBe(broken);
      const chunks = chunksOf(1);
      await one.backup('set', chunks);
      using fresh = device('fresh');
      expect(await fresh.lostOf(chunks)).toEqual([]);
      expect(fresh.repository.projection.ledgers.damage()).toEqual([]);
      expect(storage.unfired).toEqual([]);
    },
  );

  test('is not taken for a copy when a lost request is completed late', async () => {
    using one = device('one');
    await one.backup('set', chunksOf(1));
    const before = new Map(files);
    storage.plan('put', storage.calls.put + 3, { kind: 'fail-after', error: broken });
    await expect(one.backup('set', chunksOf(1))).rejects.toBe(broken);
    const late = [...files].filter(([name]) => name.startsWith('ledger/') && !before.has(name));
    for (const [name] of late) files.delete(name);
    await one.backup('set', chunksOf(1));
    for (const [name, file] of late) files.set(name, file);
    await one.backup('set', chunksOf(1));
    using fresh = device('fresh');
    await fresh.repository.refresh();
    expect(fresh.repository.projection.points.all()).toHaveLength(4);
    expect(fresh.repository.projection.ledgers.damage()).toEqual([]);
  });

  test('does not take a listing that is late for damage', async () => {
    using one = device('one');
    await one.backup('set', chunksOf(1));
    const list = storage.calls.list;
    await one.backup('set', chunksOf(1));
    for (const call of [1, 2, 3]) {
      storage.plan('list', storage.calls.list + call, { kind: 'stale', call: list });
    }
    await one.repository.refresh();
    expect(one.repository.projection.ledgers.damage()).toMatchObject([{ problem: 'missing' }]);
    await one.repository.refresh();
    expect(one.repository.projection.ledgers.damage()).toEqual([]);
  });
});
