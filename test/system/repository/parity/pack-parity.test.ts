import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { hashOf, packName, parityName } from '../../../../src/format/repository/file-names.ts';
import { PackParity, recoverShare } from '../../../../src/repository/parity/pack-parity.ts';
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
} from '../../../unit/repository/world.ts';

let folder: string;
let files: MemoryFiles;
let time: WorldTime;
let storage: MemoryStorage;

beforeEach(() => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  storage = new MemoryStorage(files, () => time.now);
  return () => removeFolder(folder);
});

let parity: PackParity | undefined;
afterEach(() => parity?.close());

function names(prefix: 'packs/' | 'parity/'): string[] {
  return [...files.keys()].filter((name) => name.startsWith(prefix));
}

function zero(name: string, from: number, to: number): void {
  const file = files.get(name)!;
  const bytes = Uint8Array.from(file.bytes);
  bytes.fill(0, from, to);
  files.set(name, { ...file, bytes });
}

async function stored(pack: Buffer, percent = 10): Promise<string> {
  parity = new PackParity(storage, percent);
  const hash = hashOf(pack);
  await storage.put(packName(hash), [pack]);
  await parity.put(hash, await parity.encode(pack));
  return hash;
}

test.each([
  ['small', 20_000],
  ['large', 2_000_000],
])('the parity of a %s pack mends it', async (_size, bytes) => {
  const pack = randomBytes(bytes);
  const hash = await stored(pack);
  expect(await parity!.mend(hash)).toEqual(new Uint8Array(pack));
  const damaged = new PackParity(storage, 10);
  zero(packName(hash), 0, 700);
  expect(Buffer.from((await damaged.mend(hash))!).equals(pack)).toBe(true);
  await damaged.close();
});

test('a share of 0 asks the store for nothing', async () => {
  const hash = await stored(randomBytes(1_000));
  const faulty = new FaultyStorage(storage);
  const none = new PackParity(faulty, 0);
  expect([await none.mend(hash), await none.encode(new Uint8Array(1)), [...(await none.list())]]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(await none.put(hash, undefined)).toBe('exists');
  await none.close();
});

test('what cannot be mended is tried once', async () => {
  const hash = await stored(randomBytes(100_000));
  zero(packName(hash), 0, 90_000);
  expect(await parity!.mend(hash)).toBeUndefined();
  storage.list = () => {
    throw new Error('asked again');
  };
  expect(await parity!.mend(hash)).toBeUndefined();
});

test('of parity whose header names another pack, only the header is read', async () => {
  const hash = await stored(randomBytes(5_000));
  const [name] = names('parity/');
  const { bytes } = files.get(name!)!;
  const other = '0'.repeat(64);
  await storage.put(parityName(other, hashOf(bytes)), [bytes]);
  const lengths: unknown[] = [];
  const get = storage.get.bind(storage);
  storage.get = async (file, range, signal) => {
    lengths.push(range?.length);
    return await get(file, range, signal);
  };
  expect(await parity!.mend(other)).toBeUndefined();
  expect(lengths).toEqual([64]);
  expect(await parity!.mend(hash)).toBeDefined();
});

test('the share is found in the files, and not in those of other packs', async () => {
  expect(await recoverShare(storage)).toBe(0);
  const hash = await stored(randomBytes(5_000), 30);
  const [name] = names('parity/');
  const { bytes } = files.get(name!)!;
  files.delete(name!);
  await storage.put(parityName('0'.repeat(64), hashOf(bytes)), [bytes]);
  expect(await recoverShare(storage)).toBe(0);
  await storage.put(parityName(hash, hashOf(bytes)), [bytes]);
  zero(name!, 0, 64);
  expect(await recoverShare(storage)).toBe(30);
});

test('no segment names a pack whose parity could not be stored', async () => {
  const full = new HoldfastError('destination_full', { directory: 'x', problem: 'ENOSPC' });
  const inner = storage;
  const put = inner.put.bind(inner);
  const keys = await createWorld(storage, time, 20);
  using one = new Device(keys, time, { name: 'one', storage, folder });
  inner.put = async (name, parts, signal) => {
    if (name.startsWith('parity/')) throw full;
    return await put(name, parts, signal);
  };
  await expect(one.backup('set', chunksOf(3))).rejects.toBe(full);
  inner.put = put;
  const chunks = chunksOf(2);
  await one.backup('set', chunks);
  const stated = [...one.repository.projection.packs.stored()].map(({ hash }) => hash.toString('hex'));
  expect(names('parity/').map((name) => name.slice(10, 74))).toEqual(stated);
  expect(await one.lostOf(chunks)).toEqual([]);
});

describe.each([0, 20])('a pack whose run ended while it was being stored (parity %s)', (percent) => {
  const chunks = chunksOf(3);
  let one: Device;
  let puts: string[];

  beforeEach(async () => {
    const keys = await createWorld(storage, time, percent);
    one = new Device(keys, time, { name: 'one', storage, folder });
    const put = storage.put.bind(storage);
    storage.put = async (name, parts, signal) => {
      const outcome = await put(name, parts, signal);
      if (name.startsWith('packs/')) throw new Error('killed');
      return outcome;
    };
    await expect(one.backup('set', chunks)).rejects.toThrow('killed');
    puts = [];
    storage.put = async (name, parts, signal) => {
      puts.push(name);
      return await put(name, parts, signal);
    };
    return () => one[Symbol.dispose]();
  });

  test('is used by the next run, which makes sure that it survives a power cut', async () => {
    const [pack] = names('packs/');
    await one.backup('set', chunks);
    // The second copy of the tree is in the other one.
    expect(names('packs/')).toHaveLength(2);
    expect(names('packs/')).toContain(pack);
    expect(puts[0]).toBe(pack);
    expect(names('parity/')).toHaveLength(percent > 0 ? 2 : 0);
    expect(await one.lostOf(chunks)).toEqual([]);
    expect(one.repository.projection.unfinishedPacks.all()).toEqual([]);
  });

  test('is not counted on when it was not stored', async () => {
    const [pack] = names('packs/');
    files.delete(pack!);
    await one.backup('set', chunks);
    expect(await one.lostOf(chunks)).toEqual([]);
    expect(one.repository.projection.packs.numberOf(Buffer.from(pack!.slice(-64), 'hex'))).toBeUndefined();
  });

  test('is known after the projection was built anew', async () => {
    await one.repository.rebuild();
    const [pack] = names('packs/');
    await one.backup('set', chunks);
    expect(names('packs/')).toHaveLength(2);
    expect(names('packs/')).toContain(pack);
  });
});

describe('a pack whose run ended before its parity was stored', () => {
  const chunks = chunksOf(3);
  let one: Device;

  beforeEach(async () => {
    const keys = await createWorld(storage, time, 20);
    one = new Device(keys, time, { name: 'one', storage, folder });
    const put = storage.put.bind(storage);
    storage.put = async (name, parts, signal) => {
      if (name.startsWith('parity/')) throw new Error('killed');
      return await put(name, parts, signal);
    };
    await expect(one.backup('set', chunks)).rejects.toThrow('killed');
    storage.put = put;
    expect([names('packs/').length, names('parity/').length]).toEqual([1, 0]);
    return () => one[Symbol.dispose]();
  });

  test('gets it from the next run, which counts on the pack', async () => {
    const [pack] = names('packs/');
    await one.backup('set', chunks);
    expect(names('packs/')).toHaveLength(2);
    expect(names('packs/')).toContain(pack);
    expect(
      names('parity/')
        .map((name) => name.slice(10, 74))
        .toSorted(),
    ).toEqual(
      names('packs/')
        .map((name) => name.slice(-64))
        .toSorted(),
    );
    expect(await one.lostOf(chunks)).toEqual([]);
    const mending = new PackParity(storage, 20);
    zero(pack!, 0, 500);
    expect(hashOf((await mending.mend(pack!.slice(-64)))!)).toBe(pack!.slice(-64));
    await mending.close();
  });

  test('is looked for once', async () => {
    await one.backup('set', chunks);
    const get = storage.get.bind(storage);
    const read: string[] = [];
    storage.get = async (name, range, signal) => {
      read.push(name);
      return await get(name, range, signal);
    };
    await one.backup('set', chunks);
    expect(read.filter((name) => name.startsWith('packs/'))).toEqual([]);
  });

  test.each([
    ['damaged', (name: string) => zero(name, 0, 300)],
    ['missing', (name: string) => files.delete(name)],
  ])('is not counted on when its file is %s', async (_what, harm) => {
    const [pack] = names('packs/');
    harm(pack!);
    await one.backup('set', chunks);
    expect(await one.lostOf(chunks)).toEqual([]);
    expect(names('parity/').map((name) => name.slice(10, 74))).not.toContain(pack!.slice(-64));
    expect(one.repository.projection.packs.numberOf(Buffer.from(pack!.slice(-64), 'hex'))).toBeUndefined();
    expect(one.repository.projection.unfinishedPacks.all()).toEqual([]);
  });
});

test('parity goes with its pack', async () => {
  const keys = await createWorld(storage, time, 20);
  using one = new Device(keys, time, { name: 'one', storage, folder });
  const chunks = chunksOf(6);
  const point = await one.backup('set', chunks);
  await one.backup('set', chunks.slice(0, 1));
  const before = names('parity/');
  await one.remove(point);
  for (let round = 0; round < 3; round += 1) {
    await one.collector.collect();
    time.now += 31 * DAY;
  }
  const packs = names('packs/').map((name) => name.slice(-64));
  expect(
    names('parity/')
      .map((name) => name.slice(10, 74))
      .toSorted(),
  ).toEqual(packs.toSorted());
  expect(names('parity/').filter((name) => before.includes(name)).length).toBeLessThan(before.length);
});

test('a collection that was killed between a pack and its parity deletes the parity later', async () => {
  const keys = await createWorld(storage, time, 20);
  using one = new Device(keys, time, { name: 'one', storage, folder });
  const chunks = chunksOf(6);
  const point = await one.backup('set', chunks);
  await one.backup('set', chunks.slice(0, 1));
  await one.remove(point);
  await one.collector.collect();
  time.now += 31 * DAY;
  const remove = storage.delete.bind(storage);
  storage.delete = async (name, signal) => {
    if (name.startsWith('parity/')) throw new Error('killed');
    await remove(name, signal);
  };
  await expect(one.collector.collect()).rejects.toThrow('killed');
  storage.delete = remove;
  await one.collector.collect();
  const packs = new Set(names('packs/').map((name) => name.slice(-64)));
  expect(names('parity/').every((name) => packs.has(name.slice(10, 74)))).toBe(true);
});
