import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FactOf } from '../../../../src/format/repository/facts.ts';
import { LEDGER_FOLDER, packName, PACKS_FOLDER } from '../../../../src/format/repository/file-names.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { treeOf, type TestChunk } from '../fixture.ts';
import { standingBlobs } from '../standing.ts';
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
let keys: WorldKeys;
let time: WorldTime;
let one: Device;
/** The first is in both restore points, the others only in the one that is removed. */
let chunks: readonly TestChunk[];
/** The file of the pack with chunks that is mostly dead. */
let dead: string;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  keys = await createWorld(storage(), time);
  one = device('one');
  chunks = chunksOf(6);
  const removed = await one.backup('set', chunks);
  [dead] = packs() as [string];
  await one.backup('set', [chunks[0]!, ...chunksOf(1)]);
  await one.remove(removed);
});
afterEach(() => {
  one[Symbol.dispose]();
  removeFolder(folder);
});

/** Holds the next file of the ledger back: its computer sleeps right before that. */
class SleepingStorage extends MemoryStorage {
  isAsleep = false;
  held: (() => Promise<unknown>) | undefined;

  override async put(name: string, parts: readonly Uint8Array[]): Promise<'created' | 'exists'> {
    if (!this.isAsleep || !name.startsWith(LEDGER_FOLDER)) return await super.put(name, parts);
    const copies = parts.map((part) => Uint8Array.from(part));
    this.held ??= () => super.put(name, copies);
    throw new Error('asleep');
  }

  async wake(): Promise<void> {
    await this.held?.();
    this.held = undefined;
  }
}

/** Lists the ledger twice if it is late, with something between both. */
class LateListing extends MemoryStorage {
  isLate = false;
  #listings = 0;
  readonly #between: () => Promise<void>;

  constructor(of: MemoryFiles, now: () => number, between: () => Promise<void>) {
    super(of, now);
    this.#between = between;
  }

  override async *list(...[prefix, signal]: Parameters<MemoryStorage['list']>): ReturnType<MemoryStorage['list']> {
    if (this.isLate && prefix === LEDGER_FOLDER) {
      this.#listings += 1;
      if (this.#listings === 2) await this.#between();
    }
    yield* super.list(prefix, signal);
  }
}

const storage = (): MemoryStorage => new MemoryStorage(files, () => time.now);
const device = (name: string): Device => new Device(keys, time, { name, storage: storage(), folder });
const packs = (): string[] => [...files.keys()].filter((name) => name.startsWith(PACKS_FOLDER));

/** Flips a bit of the blob that is the n-th of the dead pack. */
function damage(index: number): void {
  const { packs: known } = one.repository.projection;
  const pack = known.stored().find(({ hash }) => packName(hash.toString('hex')) === dead)!;
  const { offset } = pack.blobs[index]!;
  const { bytes, created } = files.get(dead)!;
  const altered = Uint8Array.from(bytes);
  altered[offset + 20]! ^= 1;
  files.set(dead, { bytes: altered, created });
}

/** Collects after some days; the first time makes the store's time known. */
async function collectAfter(days: number) {
  time.now += days * DAY;
  await one.collector.collect();
  return await one.collector.collect();
}

describe('a pack that is mostly dead', () => {
  test('is condemned when what lives in it is in another pack, and deleted days later', async () => {
    // The other one had the second copy of its tree alone.
    expect(await one.collector.collect()).toMatchObject({ condemned: 2, deleted: 0, freedBytes: 0 });
    const { packs: known } = one.repository.projection;
    expect(known.packWith(chunks[0]!.digest)).toBeDefined();
    expect(files.has(dead)).toBe(true);
    time.now += 2 * DAY;
    await one.collector.collect();
    expect(files.has(dead)).toBe(true);
    await collectAfter(2);
    expect(files.has(dead)).toBe(false);
    expect(await one.computer.lost([chunks[0]!])).toEqual([]);
  });

  test('stays when a living blob of it is damaged, and the damage is not copied', async () => {
    damage(0);
    const before = packs();
    // Only the pack with the second copy of the tree is.
    expect(await one.collector.collect()).toMatchObject({ condemned: 1 });
    expect(one.repository.projection.packs.condemned().map(({ hash }) => hash.toString('hex'))).not.toContain(
      dead.slice(-64),
    );
    expect(packs()).toEqual(before);
  });

  test('stays while another device has not read of its condemnation', async () => {
    using other = device('other');
    await other.backup('set', chunksOf(1));
    await one.collector.collect();
    await collectAfter(4);
    expect(files.has(dead)).toBe(true);
    await other.backup('set', chunksOf(1));
    await collectAfter(0);
    expect(files.has(dead)).toBe(false);
  });

  test('stays when a restore point that appeared later needs a blob that cannot be copied', async () => {
    await one.collector.collect();
    // The run of another computer, which had not read of the condemnation.
    const stored = { files: 6, bytes: 1800, stored: 0 };
    const point = { id: randomBytes(16), device: one.repository.device.id, set: 'late', time: time.now, ...stored };
    await one.repository.append(() => [{ kind: 'point', ...point, tree: treeOf(chunks).digest, envelope: null }]);
    damage(3);
    await collectAfter(4);
    expect(files.has(dead)).toBe(true);
    expect(await one.computer.lost(chunks)).toEqual([chunks[3]!.hash]);
  });

  test('stays when the restore point of a run that slept for a month is written while it is being deleted', async () => {
    // The computer ends before it reads once more what others have written.
    const asleep = new SleepingStorage(files, () => time.now);
    using sleeper = new Device(keys, time, { name: 'sleeper', storage: asleep, folder });
    await sleeper.backup('other', chunksOf(1));
    const needed = chunks[1]!;
    const { sessionId, all, needed: missing } = await sleeper.computer.begin('other', [needed]);
    expect(missing.has(needed.hash)).toBe(false);
    const brought = all.filter(({ hash }) => missing.has(hash));
    await sleeper.computer.upload(sessionId, brought);
    asleep.isAsleep = true;
    await expect(sleeper.computer.complete(sessionId, [needed])).rejects.toThrow('asleep');
    await one.collector.collect();
    time.now += 31 * DAY;
    const late = new LateListing(
      files,
      () => time.now,
      () => asleep.wake(),
    );
    using collecting = new Device(keys, time, { name: 'collecting', storage: late, folder });
    // From here on the store's time is known.
    await collecting.repository.append(() => []);
    late.isLate = true;
    await collecting.collector.collect();
    expect(asleep.held).toBeUndefined();
    expect(files.has(dead)).toBe(true);
    // What it needs is copied when its computer is silent again.
    await collectAfter(31);
    expect(files.has(dead)).toBe(false);
    expect(await one.computer.lost([treeOf([needed]), needed])).toEqual([]);
  });
});

describe('the tree of a restore point that stays', () => {
  const [kept, ...others] = chunksOf(4) as [TestChunk, ...TestChunk[]];
  /** In how many packs it stands, and the chunk of its file. */
  const standing = async (): Promise<readonly (number | undefined)[]> => {
    const blobs = await standingBlobs(one.repository);
    return [treeOf([kept]), kept].map(({ digest }) => blobs.get(digest.toString('hex'))?.packs.length);
  };

  test('keeps two copies when the packs of both are written anew', async () => {
    const { packs: known } = one.repository.projection;
    const removed = await one.backup('other', [kept, ...others]);
    await one.backup('kept', [kept]);
    await one.remove(removed);
    await one.collector.collect();
    await one.repository.append(() => {
      const hashes = known.locate(treeOf([kept]).digest).map(({ packHash }) => Buffer.from(packHash, 'hex'));
      return [{ kind: 'condemned', packs: hashes, time: time.now }];
    });
    await collectAfter(4);
    expect(known.condemned()).toEqual([]);
    expect(await standing()).toEqual([2, 1]);
  });

  test.each([0, 1])(
    'gets the second copy of a tree again when somebody else condemned pack %i of it',
    async (which) => {
      await one.backup('kept', [kept]);
      const { packHash } = one.repository.projection.packs.locate(treeOf([kept]).digest)[which]!;
      await one.repository.append(() => [{ kind: 'condemned', packs: [Buffer.from(packHash, 'hex')], time: time.now }]);
      await collectAfter(4);
      expect(files.has(packName(packHash))).toBe(false);
      expect(await standing()).toEqual([2, 1]);
    },
  );
});

describe('after the clock of computer and store was ten years ahead', () => {
  const TEN_YEARS = 3650 * DAY;

  async function ahead(work: () => Promise<unknown>): Promise<void> {
    time.now += TEN_YEARS;
    await work();
    time.now -= TEN_YEARS;
  }

  test('a pack that was condemned then is deleted days after that was noticed', async () => {
    await ahead(() => one.collector.collect());
    await collectAfter(0);
    await collectAfter(2);
    expect(files.has(dead)).toBe(true);
    await collectAfter(2);
    expect(files.has(dead)).toBe(false);
    expect(await one.computer.lost([chunks[0]!])).toEqual([]);
  });

  test('a pack that is condemned later is deleted as late as ever', async () => {
    await ahead(() => one.backup('other', chunksOf(1)));
    expect(await one.collector.collect()).toMatchObject({ condemned: 2 });
    await collectAfter(2);
    expect(files.has(dead)).toBe(true);
    await collectAfter(2);
    expect(files.has(dead)).toBe(false);
  });

  test('a computer that wrote its last segment then counts as silent a month after that was noticed', async () => {
    using other = device('other');
    await ahead(() => other.backup('other', chunksOf(1)));
    await one.collector.collect();
    await collectAfter(0);
    await collectAfter(29);
    expect(files.has(dead)).toBe(true);
    await collectAfter(2);
    expect(files.has(dead)).toBe(false);
  });

  test('a loss of packs that was stated then, or later, holds everything up for a month', async () => {
    const lose = () => one.repository.append(() => [lossOf(one)]);
    await ahead(lose);
    for (let loss = 1; loss <= 2; loss += 1) {
      await collectAfter(0);
      expect(await collectAfter(29)).toMatchObject({ condemned: 0 });
      if (loss === 1) await lose();
    }
    await collectAfter(2);
    expect(files.has(dead)).toBe(true);
    await collectAfter(4);
    expect(files.has(dead)).toBe(false);
  });
});

/** The decision that some pack is lost, as a repair states it. */
function lossOf({ repository }: Device): FactOf<'lost'> {
  const lostAt = repository.projection.packs.lostTime(time.now);
  return { kind: 'lost', packs: [randomBytes(32)], time: lostAt };
}

describe('nothing is collected', () => {
  test('while a file is known to be damaged', async () => {
    one.repository.projection.ledgers.recordDamage('ledger/x', 'hash', time.now);
    expect(await one.collector.collect()).toMatchObject({
      condemned: 0,
      deleted: 0,
      freedBytes: 0,
      stoppedBy: 'damage',
    });
  });

  test('while an alarm is held', async () => {
    const alarm = { id: randomBytes(16), device: one.repository.device.id, set: 'set', time: time.now };
    await one.repository.append(() => [{ kind: 'alarm', ...alarm, reasons: ['encrypted'] }]);
    expect(await one.collector.collect()).toMatchObject({
      condemned: 0,
      deleted: 0,
      freedBytes: 0,
      stoppedBy: 'alarm',
    });
  });

  test('for a month after packs were lost', async () => {
    await one.repository.append(() => [{ kind: 'lost', packs: [randomBytes(32)], time: time.now }]);
    expect(await one.collector.collect()).toMatchObject({ condemned: 0 });
    time.now += 31 * DAY;
    expect(await one.collector.collect()).toMatchObject({ condemned: 2 });
  });

  test('of what was condemned before packs were lost', async () => {
    await one.collector.collect();
    await one.repository.append(() => [{ kind: 'lost', packs: [randomBytes(32)], time: time.now }]);
    await collectAfter(4);
    expect(files.has(dead)).toBe(true);
  });
});
