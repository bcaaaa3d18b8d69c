import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError, isHoldfastError } from '../../../../src/base/errors/errors.ts';
import type { FreeReport } from '../../../../src/repository/collect/free-space.ts';
import {
  LEDGER_FOLDER,
  packName,
  PACKS_FOLDER,
  PARITY_FOLDER,
  RESERVE_FILE,
} from '../../../../src/format/repository/file-names.ts';
import type { WriterKey } from '../../../../src/format/repository/writer-key.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import { LeftOvers } from '../../../../src/storage/left-overs.ts';
import { LockingStorage, type LockState } from '../../../helpers/storage/locking-storage.ts';
import { FaultyStorage } from '../../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { SmallStorage, usedBytes, type Quota } from '../../../helpers/storage/small-storage.ts';
import type { TestChunk } from '../../../unit/repository/fixture.ts';
import {
  chunksOf,
  copyOfFolder,
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
let files: MemoryFiles;
let keys: WorldKeys;
let time: WorldTime;
let quota: Quota;
let one: Device;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  quota = { most: Infinity };
  keys = await createWorld(storage(), time);
  one = device('one');
});
afterEach(() => {
  one[Symbol.dispose]();
  removeFolder(folder);
});

const storage = (): SmallStorage => new SmallStorage(files, () => time.now, quota);
const device = (name: string, options: Partial<ConstructorParameters<typeof Device>[2]> = {}): Device =>
  new Device(keys, time, { name, storage: storage(), folder, ...options });
const packs = (): string[] => [...files.keys()].filter((name) => name.startsWith(PACKS_FOLDER));
const used = (): number => usedBytes(files);

const free = (of: Device = one, waivesDays = true): Promise<FreeReport> =>
  of.collector.freeSpace.free({ waivesDays, pauseMs: 0 });

async function expectWhole(of: Device, ...points: readonly (readonly TestChunk[])[]): Promise<void> {
  for (const chunks of points) expect(await of.lostOf(chunks)).toEqual([]);
}

/** Two points of one chunk of a megabyte each, with two packs each; the first is removed. Returns what stays. */
async function leaveGarbage(of: Device = one): Promise<readonly TestChunk[]> {
  const removed = await of.backup('set', chunksOf(1, MEGABYTE));
  const stays = chunksOf(1, MEGABYTE);
  await of.backup('set', stays);
  await of.remove(removed);
  return stays;
}

describe('a computer that is the only one', () => {
  test('frees at once what nobody needs, and as much as it said', async () => {
    const stays = await leaveGarbage();
    await one.repository.reserve.keep();
    const before = used();
    const plan = await one.collector.freeSpace.plan();
    expect(plan).toMatchObject({ isSole: true, others: [], later: [], interruptedBytes: 0 });
    expect(used()).toBe(before);
    const report = await free();
    expect(report).toMatchObject({ isSole: true, isFull: false, later: [], freedBytes: plan.nowBytes });
    // Besides the facts.
    expect(before - used() - plan.nowBytes).toBeLessThan(0);
    expect(before - used() - plan.nowBytes).toBeGreaterThan(-4096);
    expect(packs()).toHaveLength(2);
    await expectWhole(one, stays);
  });

  test('says what the store still has after its deletion, and deletes it when the store does', async () => {
    const stays = await leaveGarbage();
    await one.repository.reserve.keep();
    const before = used();
    const { nowBytes } = await one.collector.freeSpace.plan();
    const { storage: store } = one.repository;
    const remove = store.delete.bind(store);
    store.delete = async (name, signal) => {
      if (!name.startsWith(PACKS_FOLDER) && !name.startsWith(PARITY_FOLDER)) await remove(name, signal);
    };
    for (let run = 0; run < 2; run += 1) {
      expect(await free()).toMatchObject({ freedBytes: 0, keptBytes: expect.closeTo(nowBytes, -4) });
      expect(packs()).toHaveLength(4);
    }
    store.delete = remove;
    expect(await free()).toMatchObject({ freedBytes: expect.closeTo(nowBytes, -4), keptBytes: 0 });
    expect(before - used()).toBeGreaterThan(nowBytes - 10_000);
    expect(packs()).toHaveLength(2);
    await expectWhole(one, stays);
  });

  test('does not count what the store keeps as old versions, which its listing does not show', async () => {
    const stays = await leaveGarbage();
    await one.repository.reserve.keep();
    const store: Storage & { kept?: Storage['kept'] } = one.repository.storage;
    let hidden = 0;
    const remove = store.delete.bind(store);
    store.delete = async (name, signal) => {
      hidden += files.get(name)?.bytes.length ?? 0;
      await remove(name, signal);
    };
    store.kept = { areKept: async () => true, bytes: async () => hidden };
    const { nowBytes, keepsDeleted } = await one.collector.freeSpace.plan();
    expect(keepsDeleted).toBe(true);
    for (let run = 0; run < 2; run += 1) {
      const report = { freedBytes: 0, keptBytes: expect.closeTo(nowBytes, -4), keepsDeleted: true };
      expect(await free()).toMatchObject(report);
      expect(packs()).toHaveLength(2);
    }
    await expectWhole(one, stays);
  });

  test('frees anew what was brought back after its deletion', async () => {
    const stays = await leaveGarbage();
    await one.repository.reserve.keep();
    const old = new Map([...files].filter(([name]) => name.startsWith(PACKS_FOLDER)));
    const first = await free();
    for (const [name, file] of old) if (!files.has(name)) files.set(name, file);
    expect(await free()).toMatchObject({ freedBytes: expect.closeTo(first.freedBytes, -4), keptBytes: 0 });
    expect(packs()).toHaveLength(2);
    await expectWhole(one, stays);
  });

  test('frees nothing at once when nobody waived the days', async () => {
    await leaveGarbage();
    const report = await free(one, false);
    expect(report).toMatchObject({ isSole: true, freedBytes: 0 });
    expect(report.later).toEqual([
      { at: expect.closeTo(time.now + 3 * DAY, -4), bytes: expect.any(Number), because: 'others', waitsFor: [] },
    ]);
    expect(packs()).toHaveLength(4);
  });

  test('copies what lives in packs that are partly dead, and frees the rest', async () => {
    const shared = chunksOf(1, MEGABYTE);
    const removed = await one.backup('set', [...shared, ...chunksOf(2, MEGABYTE)]);
    await one.backup('set', shared);
    await one.remove(removed);
    const before = used();
    const plan = await one.collector.freeSpace.plan();
    const report = await free();
    expect(Math.abs(report.freedBytes - plan.nowBytes)).toBeLessThan(10_000);
    expect(Math.abs(before - used() - report.freedBytes)).toBeLessThan(4096);
    expect(report.freedBytes).toBeGreaterThan(0.9 * MEGABYTE);
    await expectWhole(one, shared);
  });
});

describe('a store with no room for a byte', () => {
  test('gives up its reserve for a removal and for what follows, and gets it back', async () => {
    const removed = await one.backup('set', chunksOf(3, MEGABYTE));
    const stays = chunksOf(1, MEGABYTE);
    await one.backup('set', stays);
    await one.repository.reserve.keep();
    quota.most = used();
    await expect(one.remove(removed)).rejects.toSatisfy((error) => isHoldfastError(error, 'destination_full'));
    await one.repository.reserve.lend(() => one.remove(removed));
    expect(files.has(RESERVE_FILE)).toBe(false);
    expect(await free()).toMatchObject({ isFull: false });
    expect(files.has(RESERVE_FILE)).toBe(true);
    expect(quota.most - used()).toBeGreaterThan(2.9 * MEGABYTE);
    await expectWhole(one, stays);
  });

  test('writes packs anew one after the other, each in the room that the ones before left', async () => {
    const kept: TestChunk[] = [];
    for (let run = 0; run < 6; run += 1) {
      const shared = chunksOf(1, 400_000);
      const removed = await one.backup('set', [...shared, ...chunksOf(2, 400_000)]);
      kept.push(...shared);
      await one.backup('set', kept);
      await one.remove(removed);
    }
    await one.repository.reserve.keep();
    quota.most = used();
    const report = await free();
    expect(report).toMatchObject({ isFull: false });
    expect(used()).toBeLessThan(6 * 400_000 + MEGABYTE + 100_000);
    await expectWhole(one, kept);
  });

  test('takes back what was copied in vain when there is no room for the fact', async () => {
    const shared = chunksOf(1, 100_000);
    const removed = await one.backup('set', [...shared, ...chunksOf(1, 100_000)]);
    await one.backup('set', shared);
    await one.remove(removed);
    // The copy of the shared chunk fits, and nothing more.
    quota.most = used() + 100_500;
    const before = used();
    const report = await free();
    expect(report.isFull).toBe(true);
    // The second copy of the removed tree, which had a pack of its own.
    expect(report.freedBytes).toBeLessThan(1000);
    expect(Math.abs(before - used() - report.freedBytes)).toBeLessThan(1000);
    await expectWhole(one, shared);
    quota.most += 2000;
    expect(await free()).toMatchObject({ isFull: false });
    expect(before - used()).toBeGreaterThan(90_000);
    await expectWhole(one, shared);
  });

  test('promises all that is freed where a reserve that is gone finds no room again', async () => {
    const telling = device('telling', { storage: new SmallStorage(files, () => time.now, quota, true) });
    const removed = await telling.backup('set', chunksOf(1, MEGABYTE / 4));
    await telling.backup('set', chunksOf(1, MEGABYTE / 4));
    await telling.remove(removed);
    await telling.repository.reserve.giveUp();
    quota.most = used() + 100_000;
    const plan = await telling.collector.freeSpace.plan();
    expect(plan).toMatchObject({ reserveBytes: 0 });
    expect(plan.nowBytes).toBeGreaterThan(MEGABYTE / 4);
    const report = await free(telling);
    expect(report).toMatchObject({ reserveBytes: 0 });
    expect(Math.abs(report.freedBytes - plan.nowBytes)).toBeLessThan(20_000);
    telling[Symbol.dispose]();
  });

  test('says so when there is no room for a fact and nothing to give up', async () => {
    await leaveGarbage();
    quota.most = used();
    expect(await free()).toMatchObject({ isFull: true, freedBytes: 0 });
  });
});

/** A run whose segment does not arrive: its packs are stored. Returns what lets the segment arrive. */
async function interrupted(of: Device, chunks: readonly TestChunk[], error: Error): Promise<() => Promise<unknown>> {
  const { storage: store } = of.repository;
  const put = store.put.bind(store);
  let late: (() => Promise<unknown>) | undefined;
  store.put = async (name, parts, signal) => {
    if (!name.startsWith(LEDGER_FOLDER)) return await put(name, parts, signal);
    const copies = parts.map((part) => Uint8Array.from(part));
    late = () => put(name, copies);
    throw error;
  };
  const { sessionId, all, needed } = await of.computer.begin('interrupted', chunks);
  await of.computer.upload(
    sessionId,
    all.filter(({ hash }) => needed.has(hash)),
  );
  await expect(of.computer.complete(sessionId, chunks)).rejects.toBe(error);
  store.put = put;
  return late!;
}

describe('what interrupted backups have stored', () => {
  const full = new HoldfastError('destination_full', { directory: 'memory:' });

  test('is freed, also where the store had no room for the segment, and the next backup brings it again', async () => {
    await one.backup('other', chunksOf(1));
    await one.repository.reserve.keep();
    const chunks = chunksOf(1, MEGABYTE);
    await interrupted(one, chunks, full);
    const plan = await one.collector.freeSpace.plan();
    expect(plan.interruptedBytes).toBeGreaterThan(MEGABYTE);
    expect(plan).toMatchObject({ isSole: true, nowBytes: plan.interruptedBytes });
    expect(await free()).toMatchObject({ freedBytes: plan.nowBytes });
    expect(packs()).toHaveLength(2);
    await one.backup('set', chunks);
    await expectWhole(one, chunks);
  });

  test('is freed when the run was killed while it stored a pack', async () => {
    await one.backup('other', chunksOf(1));
    await one.repository.reserve.keep();
    const name = randomBytes(32);
    one.repository.projection.unfinishedPacks.begin(name);
    await one.repository.storage.put(packName(name.toString('hex')), [randomBytes(5000)]);
    expect(await one.collector.freeSpace.plan()).toMatchObject({
      isSole: true,
      nowBytes: 5000,
      interruptedBytes: 5000,
    });
    expect(await free()).toMatchObject({ freedBytes: 5000 });
    expect(one.repository.projection.unfinishedPacks.all()).toEqual([]);
    expect(packs()).toHaveLength(2);
  });

  test('stays while a segment may turn up that names it', async () => {
    await one.backup('other', chunksOf(1));
    const chunks = chunksOf(1, MEGABYTE);
    const arrive = await interrupted(one, chunks, new Error('no response'));
    expect(await one.collector.freeSpace.plan()).toMatchObject({ interruptedBytes: 0 });
    await free();
    await arrive();
    await expectWhole(one, chunks);
  });
});

const sumOf = (later: FreeReport['later']): number => later.reduce((sum, { bytes }) => sum + bytes, 0);

describe('what is promised where packs have parity is what is there', () => {
  let withParity: Device;
  beforeEach(async () => {
    files.clear();
    withParity = new Device(await createWorld(storage(), time, 20), time, {
      name: 'parity',
      storage: storage(),
      folder,
    });
    await withParity.backup('other', chunksOf(1));
    await withParity.repository.reserve.keep();
    return () => withParity[Symbol.dispose]();
  });

  async function expectPromiseKept(): Promise<void> {
    const before = used();
    const { nowBytes } = await withParity.collector.freeSpace.plan();
    expect(nowBytes).toBeGreaterThan(100_000);
    expect(await free(withParity)).toMatchObject({ freedBytes: nowBytes });
    expect(Math.abs(before - used() - nowBytes)).toBeLessThan(4096);
  }

  test('after a deletion that ended between a pack and its parity', async () => {
    await leaveGarbage(withParity);
    const { storage: store } = withParity.repository;
    const remove = store.delete.bind(store);
    const killed = new Error('killed');
    store.delete = async (name, signal) => {
      if (name.startsWith(PARITY_FOLDER)) throw killed;
      await remove(name, signal);
    };
    await expect(free(withParity)).rejects.toBe(killed);
    store.delete = remove;
    await expectPromiseKept();
  });

  test('after a backup that ended between a pack and its parity', async () => {
    await interrupted(
      withParity,
      chunksOf(1, MEGABYTE),
      new HoldfastError('destination_full', { directory: 'memory:' }),
    );
    for (const name of files.keys())
      if (name.startsWith(PARITY_FOLDER) && files.get(name)!.bytes.length > 100_000) files.delete(name);
    await expectPromiseKept();
  });
});

describe('while other computers write there, too', () => {
  let other: Device;
  beforeEach(async () => {
    other = device('other');
    await other.backup('other', chunksOf(1));
  });
  afterEach(() => other[Symbol.dispose]());

  test('a plan counts the days from when the store got a condemnation, whatever the clock of whoever condemned said', async () => {
    using behind = device('behind', { clockError: -30 * DAY });
    await behind.backup('set', chunksOf(1));
    await leaveGarbage(behind);
    await one.repository.reserve.keep();
    await behind.collector.collect();
    await one.backup('set', chunksOf(1));
    const plan = await one.collector.freeSpace.plan();
    expect(plan).toMatchObject({ nowBytes: 0 });
    expect(sumOf(plan.later)).toBeGreaterThan(MEGABYTE);
    for (const { at } of plan.later) expect(at - time.now).toBeGreaterThan(2.9 * DAY);
    expect(await free(one)).toMatchObject({ freedBytes: 0 });
  });

  test('what is copied for later is taken off what is promised for now', async () => {
    const shared = chunksOf(1, 200_000);
    const partly = await one.backup('set', [...shared, ...chunksOf(2, 200_000)]);
    await one.backup('set', shared);
    await one.repository.reserve.keep();
    const name = randomBytes(32);
    one.repository.projection.unfinishedPacks.begin(name);
    await one.repository.storage.put(packName(name.toString('hex')), [randomBytes(500_000)]);
    await one.remove(partly);
    const before = used();
    const plan = await one.collector.freeSpace.plan();
    expect(plan).toMatchObject({ isSole: false, interruptedBytes: 500_000 });
    const report = await free(one);
    expect(Math.abs(plan.nowBytes - report.freedBytes)).toBeLessThan(4096);
    expect(Math.abs(before - used() - report.freedBytes)).toBeLessThan(4096);
    expect(sumOf(report.later)).toBe(sumOf(plan.later));
    expect(report.freedBytes).toBeLessThan(310_000);
  });

  test('nothing is freed before the days are over, whoever wants it, and the report says when', async () => {
    await one.repository.reserve.keep();
    const stays = await leaveGarbage();
    const plan = await one.collector.freeSpace.plan();
    expect(plan).toMatchObject({ isSole: false, others: ['other'], nowBytes: 0 });
    const [later] = plan.later;
    expect(later).toMatchObject({ because: 'others', waitsFor: [] });
    const waiting = { bytes: later!.bytes, because: 'others', waitsFor: ['other'] };
    expect(await free()).toMatchObject({ isSole: false, freedBytes: 0, later: [waiting] });
    expect(packs()).toHaveLength(6);
    time.now += 4 * DAY;
    expect(await free()).toMatchObject({ freedBytes: 0, later: [waiting] });
    await other.backup('other', chunksOf(1));
    expect(await one.collector.freeSpace.plan()).toMatchObject({ nowBytes: later!.bytes, later: [] });
    expect(await free()).toMatchObject({ freedBytes: later!.bytes, later: [] });
    expect(packs()).toHaveLength(6);
    await expectWhole(one, stays);
  });
});

describe('another computer that joins', () => {
  test('is noticed by its packs before it has written to its ledger', async () => {
    const stays = await leaveGarbage();
    using joining = device('joining');
    const chunks = chunksOf(1);
    const arrive = await interrupted(joining, chunks, new Error('asleep'));
    expect(await one.collector.freeSpace.plan()).toMatchObject({ isSole: false, others: [] });
    expect(await free()).toMatchObject({ isSole: false, freedBytes: 0 });
    expect(packs()).toHaveLength(6);
    await arrive();
    await expectWhole(one, stays, chunks);
  });

  test('keeps what it leans on when its first segment arrives between the condemnation and the deletion', async () => {
    const garbage = chunksOf(1, MEGABYTE);
    const removed = await one.backup('set', garbage);
    await one.backup('set', chunksOf(1));
    await one.remove(removed);
    using joining = device('joining');
    const arrive = await interrupted(joining, garbage, new Error('asleep'));
    // Only its ledger would tell of it.
    for (const name of packs()) {
      if (one.repository.projection.packs.numberOf(Buffer.from(name.slice(-64), 'hex')) === undefined)
        files.delete(name);
    }
    const { clock } = one.repository;
    const sleep = clock.sleep.bind(clock);
    (clock as { sleep: typeof sleep }).sleep = async () => void (await arrive());
    const report = await one.collector.freeSpace.free({ waivesDays: true, pauseMs: 1000 });
    expect(report.later).toHaveLength(1);
    await one.repository.refresh();
    expect(await one.computer.lost(garbage)).toEqual([]);
  });
});

describe('files that are locked', () => {
  test('are decided to go, and the report says until when they stay', async () => {
    const state: LockState = { ends: new Map(), covered: new Map() };
    one[Symbol.dispose]();
    one = device('locked', { storage: new LockingStorage(files, () => time.now, state) });
    await leaveGarbage();
    const [dead] = packs();
    const until = time.now + 10 * DAY;
    state.ends.set(dead!, until);
    const report = await free();
    expect(report).toMatchObject({ later: [{ at: until, because: 'locked' }] });
    expect(files.has(dead!)).toBe(true);
    expect(await one.collector.freeSpace.plan()).toMatchObject({
      nowBytes: 0,
      later: [{ at: until, because: 'locked' }],
    });
    time.now = until + DAY;
    expect((await free()).freedBytes).toBeGreaterThan(MEGABYTE);
    expect(files.has(dead!)).toBe(false);
  });
});

describe('nothing is freed', () => {
  test('while a file is damaged, or an alarm is held', async () => {
    await leaveGarbage();
    one.repository.projection.ledgers.recordDamage('ledger/x', 'hash', time.now);
    expect(await free()).toMatchObject({ stoppedBy: 'damage', freedBytes: 0 });
    expect(await one.collector.freeSpace.plan()).toMatchObject({ stoppedBy: 'damage', nowBytes: 0 });
    one.repository.projection.ledgers.clearDamage('ledger/x');
    const alarm = { id: randomBytes(16), device: one.repository.device.id, set: 'set', time: time.now };
    await one.repository.append(() => [{ kind: 'alarm', ...alarm, reasons: ['encrypted'] }]);
    expect(await free()).toMatchObject({ stoppedBy: 'alarm', freedBytes: 0 });
    expect(packs()).toHaveLength(4);
  });

  test('of what was removed while lost packs may come back', async () => {
    await leaveGarbage();
    await one.repository.append(() => [{ kind: 'lost', packs: [randomBytes(32)], time: time.now }]);
    expect(await one.collector.freeSpace.plan()).toMatchObject({ stoppedBy: 'loss', nowBytes: 0 });
    expect(await free()).toMatchObject({ stoppedBy: 'loss', freedBytes: 0 });
    expect(packs()).toHaveLength(4);
  });
});

test('a computer that dies after any change of the store goes on with the next call, and loses nothing', async () => {
  const shared = chunksOf(1, 100_000);
  const removed = await one.backup('set', [...shared, ...chunksOf(2, 100_000)]);
  const dead = await one.backup('set', chunksOf(1, 100_000));
  await one.backup('set', shared);
  for (const point of [removed, dead]) await one.remove(point);
  await interrupted(one, chunksOf(1, 100_000), new HoldfastError('destination_full', { directory: 'memory:' }));
  const { writerKey } = one;
  one[Symbol.dispose]();
  let deaths = 0;
  while (await diesAfter(deaths, writerKey, shared)) deaths += 1;
  expect(deaths).toBeGreaterThan(8);
  one = device('another');
});

/** Frees until the store has changed so often, and then again from the same home. Returns whether the first call got so far. */
async function diesAfter(changes: number, writerKey: WriterKey, shared: readonly TestChunk[]): Promise<boolean> {
  const homes = copyOfFolder(folder);
  const own: MemoryFiles = new Map(files);
  const open = (store: Storage): Device =>
    new Device(keys, time, { name: 'one', writerKey, storage: store, folder: homes });
  const died = new Error('died');
  const faulty = new FaultyStorage(new MemoryStorage(own, () => time.now));
  faulty.dieAfter(changes, died);
  const dying = open(faulty);
  const outcome = await free(dying).catch((error: unknown) => error);
  dying[Symbol.dispose]();
  if (outcome instanceof Error) expect(outcome).toBe(died);
  using next = open(new MemoryStorage(own, () => time.now));
  await expectWhole(next, shared);
  expect(await free(next)).toMatchObject({ isFull: false, later: [] });
  await expectWhole(next, shared);
  // Both copies of the tree, and the chunk.
  expect([...own.keys()].filter((name) => name.startsWith(PACKS_FOLDER))).toHaveLength(3);
  expect(next.repository.projection.ledgers.damage()).toEqual([]);
  removeFolder(homes);
  return outcome === died;
}

describe('left-over files', () => {
  test('of a killed process are deleted when nobody has touched them for minutes', async () => {
    await one.backup('set', chunksOf(1));
    await one.repository.reserve.keep();
    const store = one.repository.storage as SmallStorage & { leftOvers?: LeftOvers; deleteLeftOvers?: unknown };
    const deleted: string[] = [];
    store.leftOvers = new LeftOvers();
    store.deleteLeftOvers = async (paths: readonly string[]) => void deleted.push(...paths);
    store.leftOvers.note('old', time.now - 11 * 60_000, 5000);
    store.leftOvers.note('young', time.now - 9 * 60_000, 7000);
    expect(await one.collector.freeSpace.plan()).toMatchObject({ nowBytes: 5000 });
    expect(await free()).toMatchObject({ freedBytes: 5000 });
    expect(deleted).toEqual(['old']);
  });

  test('that a repair moved aside are deleted once their pack is there again or gone for good', async () => {
    const stays = await leaveGarbage();
    await one.repository.reserve.keep();
    const [dead, living] = packs() as [string, string];
    for (const name of [dead, living, `${living}-2`, packName('0'.repeat(64)), 'ledger/x']) {
      await storage().put(`damaged/${name}`, [Buffer.alloc(1000)]);
    }
    await free();
    // By then the dead one is gone, too.
    await free();
    expect([...files.keys()].filter((name) => name.startsWith('damaged/')).toSorted()).toEqual([
      'damaged/ledger/x',
      `damaged/${packName('0'.repeat(64))}`,
    ]);
    await expectWhole(one, stays);
  });
});
