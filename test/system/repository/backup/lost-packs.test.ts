import { rmSync, truncateSync, renameSync, mkdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import { PackComparison } from '../../../../src/repository/packs/compare-packs.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import { Computer, filesIn, Place, StepClock } from '../check/world.ts';
import { testChunk, TestRepository } from '../../../unit/repository/fixture.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let computer: Computer;
let destination: string;

beforeAll(() => {
  pool = new WorkerPool(2);
});

afterAll(() => pool.close());

beforeEach(async () => {
  place = new Place();
  clock = new StepClock();
  destination = place.path('destination');
  mkdirSync(destination);
  computer = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
  computer.write('one.bin', seededBytes(500_000, 'one'));
  await computer.backUp();
  computer.write('two.bin', seededBytes(300_000, 'two'));
  await computer.backUp();
  return async () => {
    await computer.close();
    place[Symbol.dispose]();
  };
});

function at(name: string): string {
  return place.path('destination', name);
}

function filesOf(folder: 'packs' | 'ledger'): string[] {
  return filesIn(destination).filter((name) => name.startsWith(`${folder}/`));
}

function warnings(): unknown {
  return new RepositoryClient(computer.repository).destinationWarnings();
}

async function expectRestorable(): Promise<void> {
  const { failures } = await computer.restore(computer.id, clock.now(), place.path('target'));
  expect(failures).toEqual([]);
  expect(readFileSync(place.path('target', 'source', 'one.bin'))).toEqual(seededBytes(500_000, 'one'));
  expect(readFileSync(place.path('target', 'source', 'two.bin'))).toEqual(seededBytes(300_000, 'two'));
}

const LOSSES = {
  'one pack is missing': () => rmSync(at(filesOf('packs')[0]!)),
  'every pack is empty': () => filesOf('packs').forEach((name) => truncateSync(at(name))),
  'one pack is shorter': () => truncateSync(at(filesOf('packs')[0]!), 1_000),
  'the folder of packs is missing': () => rmSync(at('packs'), { recursive: true }),
  'every segment is empty': () => filesOf('ledger').forEach((name) => truncateSync(at(name))),
} as const;

describe.each(Object.entries(LOSSES))('a backup when %s', (_name, lose) => {
  test('warns of it and stores again what is lost', async () => {
    expect(warnings()).toEqual([]);
    lose();
    await computer.backUp();
    expect(warnings()).toEqual([{ path: destination, reason: 'destination-damaged' }]);
    await expectRestorable();
  });
});

describe('packs that were missing for a while', () => {
  test('count again when they are there again', async () => {
    renameSync(at('packs'), at('away'));
    await computer.backUp();
    rmSync(at('packs'), { recursive: true });
    renameSync(at('away'), at('packs'));
    await computer.backUp();
    // What the run between stored is gone.
    expect(warnings()).not.toEqual([]);
    expect(isSound(await computer.check())).toBe(false);
    await expectRestorable();
  });

  test('are no damage any more', async () => {
    const [name] = filesOf('packs');
    renameSync(at(name!), at('away'));
    await computer.backUp();
    expect(warnings()).not.toEqual([]);
    renameSync(at('away'), at(name!));
    await computer.backUp();
    expect(warnings()).toEqual([]);
    expect(isSound(await computer.check(100))).toBe(true);
  });
});

describe('a pack of the last length with another table', () => {
  test('stays damaged', async () => {
    const [name] = filesOf('packs');
    const bytes = readFileSync(at(name!));
    rmSync(at(name!));
    await computer.backUp();
    await computer.repository.storage.put(name!, [Buffer.alloc(bytes.length)]);
    await computer.backUp();
    expect(warnings()).not.toEqual([]);
  });
});

describe('a pack with the bytes of another one', () => {
  test('does not count, although these are of its length and sound', async () => {
    const storage = new MemoryStorage();
    const shared = await TestRepository.create(storage);
    onTestFinished(() => shared[Symbol.dispose]());
    const one = await shared.computer('one');
    const [first, second] = [testChunk(), testChunk()];
    await one.backup('documents', [first]);
    const name = [...storage.files.keys()].find((file) => file.startsWith('packs/'));
    const before = new Set(storage.files.keys());
    await one.backup('pictures', [second]);
    const other = [...storage.files.keys()].find((file) => file.startsWith('packs/') && !before.has(file));
    const compare = () => new PackComparison(one.repository).run();
    const isCounted = () => one.repository.projection.packs.packWith(first.digest) !== undefined;
    const own = storage.files.get(name!)!;
    storage.files.delete(name!);
    await compare();
    storage.files.set(name!, storage.files.get(other!)!);
    await compare();
    expect([storage.files.get(other!)!.bytes.length, isCounted()]).toEqual([own.bytes.length, false]);
    storage.files.set(name!, own);
    await compare();
    expect(isCounted()).toBe(true);
  });
});

describe('a store whose listings cost something', () => {
  test('is compared once a day', async () => {
    const storage = new MemoryStorage();
    const shared = await TestRepository.create(storage);
    onTestFinished(() => shared[Symbol.dispose]());
    const one = await shared.computer('one');
    const chunk = testChunk();
    await one.backup('documents', [chunk]);
    for await (const batch of storage.list('packs/')) for (const { name } of batch) await storage.delete(name);
    const same = new RepositoryClient(one.repository);
    await same.backupOpen({ deviceId: one.id, backupSet: 'documents' });
    expect(same.destinationWarnings()).toEqual([]);
    one.repository.projection.maintenance.done('compare-packs', one.repository.clock.now() - 24 * 3_600_000);
    const next = new RepositoryClient(one.repository);
    await next.backupOpen({ deviceId: one.id, backupSet: 'documents' });
    expect(next.destinationWarnings()).toHaveLength(1);
  });
});
