import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECKPOINTS_FOLDER } from '../../../../src/format/repository/file-names.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { testChunk } from '../../../unit/repository/fixture.ts';
import {
  chunksOf,
  createWorld,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';
import { dumpOf } from '../../../unit/repository/projection/dump.ts';

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

const device = (name: string): Device => new Device(keys, time, { name, storage: new MemoryStorage(files), folder });

/** Changes the database of a computer behind its back, as a bad sector or another program does. */
function damage(name: string, sql: string): void {
  const id = readdirSync(join(folder, name)).find((entry) => /^[0-9a-f]{32}$/.test(entry));
  const database = new Database(join(folder, name, id!, 'projection.sqlite'));
  database.function('flipped', (bytes: Buffer) => Buffer.concat([Buffer.from([bytes[0]! ^ 1]), bytes.subarray(1)]));
  try {
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
  } finally {
    database.close();
  }
}

const DAMAGES = {
  'a pack’s table': 'UPDATE pack SET contents = flipped(contents)',
  'a pack’s length': 'UPDATE pack SET bytes = bytes + 1',
  'a chunk’s digest': 'UPDATE chunk SET digest = flipped(digest) WHERE offset > 0',
  'a chunk’s offset': 'UPDATE chunk SET offset = offset + 1',
  'a chunk’s size': 'UPDATE chunk SET size = size + 1',
  'a chunk’s place': 'UPDATE chunk SET pack = pack + 1 WHERE offset = 0',
  'a missing chunk': 'DELETE FROM chunk WHERE offset > 0',
  'a point’s time': 'UPDATE point SET time = time + 1',
  'a point’s tree': 'UPDATE point SET tree = flipped(tree)',
  'a removed point': 'DELETE FROM point',
  'a segment’s number': 'UPDATE segment SET number = number + 1 WHERE number = 2',
  'a writer’s device': "UPDATE writer SET device = 'f' || substr(device, 2)",
} as const;

describe('a database of this computer', () => {
  test.each(Object.entries(DAMAGES))('is built anew when something changed %s', async (_name, sql) => {
    const chunks = chunksOf(4);
    let expected;
    let id: string;
    const written = device('one');
    {
      using one = written;
      await one.backup('set', chunks.slice(0, 2));
      id = await one.backup('set', chunks);
      expected = dumpOf(one.repository.projection);
    }
    damage('one', sql);
    using one = new Device(keys, time, {
      name: 'one',
      storage: new MemoryStorage(files),
      folder,
      writerKey: written.writerKey,
    });
    await one.repository.refresh();
    expect(dumpOf(one.repository.projection)).toEqual(expected);
    expect(one.repository.projection.points.find(Buffer.from(id, 'hex'))).toBeDefined();
    expect(await one.lostOf(chunks)).toEqual([]);
  });

  test.each(['offset', 'digest'] as const)('is built anew when a restore meets a wrong %s', async (what) => {
    using one = device('one');
    const chunks = chunksOf(4);
    await one.backup('set', chunks);
    damage('one', DAMAGES[`a chunk’s ${what}`]);
    const { computer } = one;
    // A restore asks again for what did not open.
    await computer.lost(chunks);
    expect(await computer.lost(chunks)).toEqual([]);
  });

  test('is what it was after everything that a computer does', async () => {
    using one = device('one');
    const id = await one.backup('set', chunksOf(3));
    await one.backup('set', chunksOf(3));
    await one.remove(id);
    await one.collector.collect();
    await one.repository.append(() => [{ kind: 'retired', device: 'a'.repeat(32) }]);
    expect(one.repository.projection.isUndamaged()).toBe(true);
    one.repository.projection.clear();
    expect(one.repository.projection.isUndamaged()).toBe(true);
    await one.repository.refresh();
    expect(one.repository.projection.isUndamaged()).toBe(true);
  });

  test('keeps the packs that no segment names when it is folded anew', async () => {
    using one = device('one');
    const chunks = chunksOf(3);
    const { sessionId, all } = await one.computer.begin('set', chunks);
    await one.computer.upload(sessionId, all);
    await expect(one.computer.complete(sessionId, chunks)).resolves.toBeDefined();
    const { packs } = one.repository.projection;
    const before = [...packs.stored()].map(({ hash, contents }) => ({ hash, contents }));
    one.repository.projection.database.exec('UPDATE pack SET writer = NULL');
    for (const name of files.keys()) if (name.startsWith('ledger/')) files.delete(name);
    await one.repository.rebuild();
    expect(packs.unreported()).toMatchObject(before);
  });
});

describe('a checkpoint', () => {
  test.each([
    ['a pack’s table', DAMAGES['a pack’s table']],
    ['a point’s time', DAMAGES['a point’s time']],
  ])('does not state what went wrong in the database of its computer: %s', async (_name, sql) => {
    using one = device('one');
    using other = device('other');
    const points = [await one.backup('set', [testChunk(100)])];
    damage('one', sql);
    for (let run = 0; run < 65; run += 1) {
      points.push(await one.backup('set', [testChunk(100)]));
      // It reads the segments, and never the checkpoint.
      if (run % 10 === 0) await other.repository.refresh();
    }
    expect([...files.keys()].filter((name) => name.startsWith(CHECKPOINTS_FOLDER))).toHaveLength(1);
    await other.repository.refresh();
    using fresh = device('fresh');
    for (const name of files.keys()) if (/ledger\/.*\/0000000000(?:0|[1-5])/.test(name)) files.delete(name);
    await fresh.repository.refresh();
    for (const part of ['pack', 'chunk', 'point'] as const) {
      expect(dumpOf(fresh.repository.projection)[part]).toEqual(dumpOf(other.repository.projection)[part]);
    }
    // This computer has found out, too.
    expect(dumpOf(one.repository.projection)).toEqual(dumpOf(other.repository.projection));
    expect(one.repository.projection.points.all()).toHaveLength(points.length);
  });
});
