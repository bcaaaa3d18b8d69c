import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkRepository } from '../../../../src/repository/check/check-repository.ts';
import { hashOf, LEDGER_FOLDER, parseLedgerName } from '../../../../src/format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../../../../src/format/repository/keys.ts';
import { encodeSegment, LARGEST_SEGMENT_BYTES } from '../../../../src/format/repository/segment.ts';
import { newWriterKey, type WriterKey } from '../../../../src/format/repository/writer-key.ts';
import { readLedgerFile } from '../../../../src/repository/ledger/read-ledgers.ts';
import { FaultyStorage } from '../../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { testChunk } from '../../../unit/repository/fixture.ts';
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

const device = (name: string, writerKey: WriterKey = newWriterKey()): Device =>
  new Device(keys, time, { name, storage: new FaultyStorage(new MemoryStorage(files)), folder, writerKey });
const segmentsOf = ({ writerKey }: Device): string[] =>
  [...files.keys()].filter((name) => name.startsWith(`${LEDGER_FOLDER}${writerKey.id}/`)).toSorted();
const damageOf = ({ repository }: Device) => repository.projection.ledgers.damage();
const callsOf = ({ repository }: Device) => ({ ...(repository.storage as FaultyStorage).calls });
const scratch = (): string => join(folder, 'check.sqlite');

describe('a segment that is taken from the middle of a ledger', () => {
  test('is seen by the next backup of its own computer, which stores its chunks again', async () => {
    using one = device('one');
    const chunks = [testChunk(), testChunk()];
    await one.backup('set', [chunks[0]!]);
    await one.backup('set', chunks);
    await one.backup('set', chunks);
    const [, middle] = segmentsOf(one);
    files.delete(middle!);
    await one.backup('set', chunks);
    expect(damageOf(one)).toMatchObject([{ file: middle, problem: 'missing', isAccepted: false }]);
    using fresh = device('fresh');
    expect(await fresh.lostOf(chunks)).toEqual([]);
  });

  test('is seen by the next backup of another computer, which does not count on it', async () => {
    using one = device('one');
    using other = device('other');
    const chunks = [testChunk(), testChunk()];
    await one.backup('set', [chunks[0]!]);
    await one.backup('set', chunks);
    await one.backup('set', chunks);
    await other.repository.refresh();
    files.delete(segmentsOf(one)[1]!);
    await other.backup('set', chunks);
    expect(damageOf(other)).toMatchObject([{ problem: 'missing' }]);
    using fresh = device('fresh');
    expect(await fresh.lostOf(chunks)).toEqual([]);
  });

  test('is forgotten as damage when it is back', async () => {
    using one = device('one');
    for (let run = 0; run < 3; run += 1) await one.backup('set', [testChunk()]);
    const [, middle] = segmentsOf(one);
    const file = files.get(middle!)!;
    files.delete(middle!);
    await one.repository.refresh();
    expect(damageOf(one)).toHaveLength(1);
    files.set(middle!, file);
    await one.repository.refresh();
    expect(damageOf(one)).toEqual([]);
  });

  test('is none where a checkpoint stands for it', async () => {
    using one = device('one');
    using other = device('other');
    for (let run = 0; run < 130; run += 1) {
      await one.backup('set', [testChunk(50)]);
      if (run % 8 === 0) await other.repository.refresh();
    }
    await one.collector.collect();
    expect(segmentsOf(one).length).toBeLessThan(130);
    await other.repository.refresh();
    expect([...damageOf(one), ...damageOf(other)]).toEqual([]);
  });
});

describe('a computer that lost what it remembers of its own ledger', () => {
  test.each(['removed', 'damaged'] as const)('continues it: %s', async (what) => {
    using one = device('one');
    const chunks = [testChunk()];
    await one.backup('set', chunks);
    await one.backup('set', chunks);
    const local = join(folder, 'one', one.repository.id);
    const name = readdirSync(local).find((entry) => entry.startsWith('ledger-'))!;
    if (what === 'removed') rmSync(join(local, name));
    else writeFileSync(join(local, name), '{');
    await one.backup('set', chunks);
    expect(segmentsOf(one).map((file) => file.slice(40, 52))).toEqual(['000000000001', '000000000002', '000000000003']);
    using fresh = device('fresh');
    await fresh.repository.refresh();
    expect(damageOf(fresh)).toEqual([]);
    expect(fresh.repository.projection.points.all()).toHaveLength(3);
  });
});

describe('heads that cannot be', () => {
  test.each([999_999_999, 10 ** 13])('do not count: %d', async (number) => {
    using one = device('one');
    await one.backup('set', [testChunk()]);
    const liar = newWriterKey();
    const heads = new Map([[one.writerKey.id, { number, hash: 'ab'.repeat(32) }]]);
    const segment = { writer: liar.id, number: 1, previous: undefined, time: 0, heads, facts: [] };
    const seal = { keys: deriveRepositoryKeys(keys.masterKey).ledger, repository: keys.description.id };
    const { name, bytes } = encodeSegment('ledger', segment, seal, liar);
    await new MemoryStorage(files).put(name, [bytes]);
    await one.backup('set', [testChunk()]);
    expect(damageOf(one)).toEqual([]);
    expect(await one.collector.collect()).not.toHaveProperty('stoppedBy');
  });
});

describe('many files that are none of a ledger', () => {
  const junk = (count: number, bytes: number): void => {
    for (let index = 0; index < count; index += 1) {
      const number = String(index + 1).padStart(12, '0');
      const content = randomBytes(bytes);
      files.set(`${LEDGER_FOLDER}${'a'.repeat(32)}/${number}-${hashOf(Buffer.from(number))}`, {
        bytes: content,
        created: 1,
      });
    }
  };

  test('are read once', async () => {
    using one = device('one');
    await one.backup('set', [testChunk()]);
    junk(500, 200);
    await one.repository.refresh();
    expect(damageOf(one)).toHaveLength(500);
    const before = callsOf(one);
    await one.repository.refresh();
    await one.backup('set', [testChunk()]);
    expect(callsOf(one).get - before.get).toBeLessThan(150);
  });

  test('are not read at all when nothing valid is so short', async () => {
    using one = device('one');
    await one.backup('set', [testChunk()]);
    junk(500, 4);
    const before = callsOf(one);
    await one.repository.refresh();
    expect(callsOf(one).get).toBe(before.get);
    expect(damageOf(one)).toHaveLength(500);
  });

  test('are read again when they have changed', async () => {
    using one = device('one');
    for (let run = 0; run < 2; run += 1) await one.backup('set', [testChunk()]);
    const [name] = segmentsOf(one);
    const file = files.get(name!)!;
    files.set(name!, { bytes: randomBytes(file.bytes.length), created: 1 });
    junk(500, 200);
    using fresh = device('fresh');
    await fresh.repository.refresh();
    expect(damageOf(fresh)).toHaveLength(501);
    files.set(name!, { bytes: file.bytes, created: 2 });
    await fresh.repository.refresh();
    expect(damageOf(fresh)).toHaveLength(500);
  });
});

test('a check holds no large file that has not its hash', async () => {
  using one = device('one');
  await one.backup('set', [testChunk()]);
  const bytes = Buffer.alloc(70 * 1024 * 1024);
  for (const folderName of ['ledger', 'checkpoints']) {
    files.set(`${folderName}/${'a'.repeat(32)}/000000000001-${'b'.repeat(64)}`, { bytes, created: 1 });
  }
  let largest = 0;
  const storage = one.repository.storage;
  const get = storage.get.bind(storage);
  storage.get = async (...call) => {
    const read = await get(...call);
    largest = Math.max(largest, read?.length ?? 0);
    return read;
  };
  const { findingsTotal } = await checkRepository(one.repository, { scratch: scratch() });
  expect(findingsTotal).toBe(2);
  expect(largest).toBeLessThan(16 * 1024 * 1024);
});

test('a segment that is larger than any is not read at all', async () => {
  using one = device('one');
  await one.backup('set', [testChunk(100)]);
  const [name] = segmentsOf(one) as [string];
  const file = { ...parseLedgerName(name)!, bytes: LARGEST_SEGMENT_BYTES + 1, created: undefined };
  const { get } = callsOf(one);
  expect(await readLedgerFile(one.repository.ledger, file)).toBeUndefined();
  expect(callsOf(one).get).toBe(get);
  expect(damageOf(one)).toMatchObject([{ file: name, problem: 'size' }]);
});
