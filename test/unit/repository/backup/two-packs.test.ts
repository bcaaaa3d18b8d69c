import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PackComparison } from '../../../../src/repository/packs/compare-packs.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { testChunk, treeOf, type TestChunk } from '../fixture.ts';
import { standingBlobs } from '../standing.ts';
import { createWorld, Device, removeFolder, temporaryFolder, WorldTime, type WorldKeys } from '../world.ts';

let folder: string;
let keys: WorldKeys;
let time: WorldTime;
let files: MemoryFiles;
let storage: MemoryStorage;
beforeEach(async () => {
  folder = temporaryFolder();
  time = new WorldTime();
  files = new Map();
  storage = new MemoryStorage(files);
  keys = await createWorld(storage, time);
});
afterEach(() => removeFolder(folder));

const packs = (): string[] => [...files.keys()].filter((name) => name.startsWith('packs/'));
const device = (name: string): Device => new Device(keys, time, { name, storage, folder });

/** In how many packs each chunk stands. */
async function timesOf(one: Device, chunks: readonly TestChunk[]): Promise<number[]> {
  const standing = await standingBlobs(one.repository);
  return chunks.map(({ digest }) => standing.get(digest.toString('hex'))?.packs.length ?? 0);
}

describe('a backup stores', () => {
  test('the tree in two packs, and the files in one', async () => {
    using one = device('one');
    const chunks = [testChunk(), testChunk()];
    await one.backup('set', chunks);
    expect(packs()).toHaveLength(2);
    expect(await timesOf(one, [treeOf(chunks), ...chunks])).toEqual([2, 1, 1]);
  });

  test('nothing twice in one file', async () => {
    using one = device('one');
    await one.backup('set', [testChunk()]);
    for (const { blobs } of one.repository.projection.packs.stored()) {
      const digests = blobs.map(({ digest }) => Buffer.from(digest).toString('hex'));
      expect(new Set(digests).size).toBe(digests.length);
    }
  });

  test('the pack with the files before the one with the tree alone', async () => {
    using one = device('one');
    const names: string[] = [];
    const put = storage.put.bind(storage);
    storage.put = (name, parts, signal) => {
      if (name.startsWith('packs/')) names.push(name);
      return put(name, parts, signal);
    };
    const chunk = testChunk();
    await one.backup('set', [chunk]);
    const standing = await standingBlobs(one.repository);
    expect(names[0]).toContain(standing.get(chunk.digest.toString('hex'))!.packs[0]);
    expect(names).toHaveLength(2);
  });

  test('a tree that another computer has stored twice not once more', async () => {
    using one = device('one');
    using other = device('other');
    const chunks = [testChunk()];
    await one.backup('set', chunks);
    const before = packs().length;
    await other.backup('set', chunks);
    expect(packs()).toHaveLength(before);
  });
});

describe('a tree that stands in one pack is stored once more', () => {
  test.each([0, 1])('when pack %i is missing', async (which) => {
    using one = device('one');
    const chunks = [testChunk()];
    await one.backup('set', chunks);
    files.delete(packs()[which]!);
    await new PackComparison(one.repository).run();
    await one.backup('set', chunks);
    expect(await timesOf(one, [treeOf(chunks), ...chunks])).toEqual([2, 1]);
  });

  test('when the run before was killed between its two packs', async () => {
    const chunks = [testChunk()];
    {
      using one = device('one');
      let puts = 0;
      const put = storage.put.bind(storage);
      storage.put = async (name, parts, signal) => {
        if (name.startsWith('packs/') && ++puts === 2) throw new Error('killed');
        return await put(name, parts, signal);
      };
      await expect(one.backup('set', chunks)).rejects.toThrow('killed');
      storage.put = put;
      expect(packs()).toHaveLength(1);
      await one.backup('set', chunks);
      expect(await timesOf(one, [treeOf(chunks), ...chunks])).toEqual([2, 1]);
      expect(packs()).toHaveLength(2);
    }
  });

  test('when a pack is condemned while the run is under way', async () => {
    using one = device('one');
    using other = device('other');
    const chunks = [testChunk()];
    await one.backup('set', chunks);
    const { sessionId } = await other.computer.begin('set', chunks);
    const { hash } = [...one.repository.projection.packs.stored()].at(-1)!;
    await one.repository.append(() => [{ kind: 'condemned', packs: [hash], time: time.now }]);
    await expect(other.computer.complete(sessionId, chunks)).rejects.toMatchObject({ code: 'chunk_missing' });
    await other.backup('set', chunks);
    expect(await timesOf(other, [treeOf(chunks), ...chunks])).toEqual([2, 1]);
  });
});
