import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECKPOINTS_FOLDER, LEDGER_FOLDER } from '../../../../src/format/repository/file-names.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { FaultyStorage } from '../../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { testChunk } from '../../../unit/repository/fixture.ts';
import { dumpOf } from '../../../unit/repository/projection/dump.ts';
import {
  createWorld,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';

let folder: string;
let files: MemoryFiles;
let keys: WorldKeys;
let time: WorldTime;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  keys = await createWorld(new MemoryStorage(files), time);
});
afterEach(() => removeFolder(folder));

const device = (name: string, storage = new FaultyStorage(new MemoryStorage(files))): Device =>
  new Device(keys, time, { name, storage, folder });
const namesIn = (prefix: string): string[] => [...files.keys()].filter((name) => name.startsWith(prefix)).toSorted();
const requests = ({ calls }: FaultyStorage): number => calls.list + calls.get + calls.put + calls.delete;

describe('checkpoints', () => {
  test('let a new computer read one file and a few segments for each writer', async () => {
    using one = device('one');
    using other = device('other');
    const shared = testChunk(100);
    for (let run = 0; run < 140; run += 1) await one.backup('set', [shared]);
    await other.backup('set', [shared]);
    expect(namesIn(CHECKPOINTS_FOLDER)).toHaveLength(2);
    await one.collector.collect();
    // The older checkpoint stands for the first 64 segments.
    expect(namesIn(LEDGER_FOLDER).length).toBeLessThan(140);
    expect(namesIn(LEDGER_FOLDER)[0]).toMatch(/0000000000(?:01|65)-/);
    const storage = new FaultyStorage(new MemoryStorage(files));
    using fresh = device('fresh', storage);
    await fresh.repository.refresh();
    expect(storage.calls.list).toBe(2);
    expect(storage.calls.get).toBeLessThan(20);
    await other.repository.refresh();
    expect(dumpOf(fresh.repository.projection)).toEqual(dumpOf(other.repository.projection));
    expect(fresh.repository.projection.ledgers.damage()).toEqual([]);
    // A second look reads nothing again.
    const { get } = storage.calls;
    await fresh.repository.refresh();
    expect(storage.calls.get).toBe(get);
    // The newest checkpoint is damaged: the one before it and the segments after it suffice.
    const newest = namesIn(CHECKPOINTS_FOLDER).at(-1)!;
    files.set(newest, { bytes: Buffer.from('damaged'), created: 0 });
    using careful = device('careful');
    await careful.repository.refresh();
    expect(dumpOf(careful.repository.projection)).toEqual(dumpOf(other.repository.projection));
    expect(careful.repository.projection.ledgers.damage()).toMatchObject([{ file: newest, problem: 'hash' }]);
  });

  test('replace a lost segment', async () => {
    using one = device('one');
    const points: string[] = [];
    for (let run = 0; run < 66; run += 1) points.push(await one.backup('set', [testChunk(100)]));
    const names = namesIn(LEDGER_FOLDER);
    files.delete(names[2]!);
    using fresh = device('fresh');
    await fresh.repository.refresh();
    for (const id of points) expect(fresh.repository.projection.points.find(Buffer.from(id, 'hex'))).toBeDefined();
    expect(fresh.repository.projection.ledgers.damage()).toEqual([]);
  });

  test('are not written by a computer that lacks one of its own segments', async () => {
    using one = device('one');
    for (let run = 0; run < 3; run += 1) await one.backup('set', [testChunk(100)]);
    files.delete(namesIn(LEDGER_FOLDER)[1]!);
    one.repository.projection.database.exec('DELETE FROM segment; DELETE FROM writer; DELETE FROM point');
    for (let run = 0; run < 64; run += 1) await one.backup('set', [testChunk(100)]);
    expect(namesIn(CHECKPOINTS_FOLDER)).toEqual([]);
    expect(one.repository.projection.ledgers.damage()).toMatchObject([{ problem: 'missing' }]);
  });
});

describe('a checkpoint', () => {
  test.each([
    ['gone', (name: string) => void files.delete(name)],
    ['damaged', (name: string) => void files.set(name, { bytes: Buffer.from('damaged'), created: 0 })],
  ])('is not written over a segment that is %s since it was read', async (_name, lose) => {
    using one = device('one');
    for (let run = 0; run < 3; run += 1) await one.backup('set', [testChunk(100)]);
    lose(namesIn(LEDGER_FOLDER)[1]!);
    expect(await writeCheckpoint(one.repository.ledger)).toBe(false);
    expect(namesIn(CHECKPOINTS_FOLDER)).toEqual([]);
  });
});

describe('a lost segment', () => {
  test('takes nothing of its writer with it but its own facts, also the first one', async () => {
    using one = device('one');
    const points: string[] = [];
    for (let run = 0; run < 3; run += 1) points.push(await one.backup('set', [testChunk(100)]));
    files.delete(namesIn(LEDGER_FOLDER)[0]!);
    using fresh = device('fresh');
    await fresh.repository.refresh();
    const found = points.map((id) => fresh.repository.projection.points.find(Buffer.from(id, 'hex')) !== undefined);
    expect(found).toEqual([false, true, true]);
    expect(fresh.repository.projection.ledgers.damage()).toMatchObject([{ problem: 'missing' }]);
    expect(await fresh.collector.collect()).toMatchObject({ stoppedBy: 'damage' });
  });
});

describe('requests', () => {
  test('are fewer than 10 for an unchanged run', async () => {
    const storage = new FaultyStorage(new MemoryStorage(files));
    using one = device('one', storage);
    const chunks = [testChunk(100), testChunk(100)];
    await one.backup('set', chunks);
    const before = requests(storage);
    await one.backup('set', chunks);
    expect(requests(storage) - before).toBeLessThan(10);
  });

  test('are fewer than 1,000 for 50,000 small chunks', async () => {
    const storage = new FaultyStorage(new MemoryStorage(files));
    using one = device('one', storage);
    const chunks = Array.from({ length: 50_000 }, () => testChunk(60));
    await one.backup('set', chunks);
    expect(requests(storage)).toBeLessThan(1_000);
    expect(namesIn('packs/').length).toBeLessThan(5);
    using fresh = device('fresh');
    expect(await fresh.computer.lost(chunks.slice(0, 500))).toEqual([]);
  });
});
