import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BlobReader } from '../../../../src/repository/restore/blob-reader.ts';
import { PackWindows } from '../../../../src/repository/restore/pack-windows.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import { chunkKeysOf } from '../../../../src/format/crypto/chunk-keys.ts';
import { TestRepository, testChunk, type TestChunk, type TestComputer } from '../fixture.ts';

const MEBIBYTE = 2 ** 20;

let storage: MemoryStorage;
let computer: TestComputer;
let reader: BlobReader;
let reads: { readonly name: string; readonly bytes: number }[];

beforeEach(async () => {
  storage = new MemoryStorage();
  const shared = await TestRepository.create(storage);
  onTestFinished(() => shared[Symbol.dispose]());
  computer = await shared.computer('one');
  reader = new BlobReader(computer.repository);
  reads = [];
  const get = storage.get.bind(storage);
  storage.get = async (name, range, signal) => {
    if (name.startsWith('packs/')) reads.push({ name, bytes: range!.length });
    return await get(name, range, signal);
  };
});

/** Backs up a pack for each list of sizes. */
async function packsOf(...sizes: readonly (readonly number[])[]): Promise<TestChunk[][]> {
  const packs = sizes.map((list) => list.map((bytes) => testChunk(bytes)));
  for (const chunks of packs) await computer.backup('documents', chunks);
  reads.length = 0;
  return packs;
}

function expectChunks(chunks: readonly TestChunk[]): void {
  const digests = new Set(chunks.map(({ digest }) => digest.toString('hex')));
  reader.expect((digest) => digests.has(Buffer.from(digest).toString('hex')));
}

/** Downloads some chunks and opens them. */
async function download(...chunks: readonly TestChunk[]): Promise<void> {
  const keys = chunkKeysOf(computer.repository.keys.chunk);
  const opened = new Map<string, Buffer>();
  await reader.download(
    '',
    chunks.map(({ hash }) => hash),
    (hash, bytes) => {
      const { digest } = chunks.find((chunk) => chunk.hash === hash)!;
      opened.set(hash, keys.open(bytes!, digest));
    },
  );
  for (const { hash, plaintext } of chunks) expect(opened.get(hash)!.equals(plaintext)).toBe(true);
}

describe('a pack of which most is going to be requested', () => {
  test('is read once', async () => {
    const [chunks] = await packsOf(Array.from({ length: 30 }, () => MEBIBYTE / 2));
    expectChunks(chunks!.filter((_, index) => index % 4 !== 3));
    for (const [index, chunk] of chunks!.entries()) if (index % 4 !== 3) await download(chunk);
    expect(reads).toHaveLength(1);
  });

  test('is read once by downloads at the same time', async () => {
    const [chunks] = await packsOf(Array.from({ length: 12 }, () => MEBIBYTE / 2));
    expectChunks(chunks!);
    await Promise.all(chunks!.map((chunk) => download(chunk)));
    expect(reads).toHaveLength(1);
  });

  test('is read ahead while the one before it is used', async () => {
    const [first, second] = await packsOf(...Array.from({ length: 2 }, () => [MEBIBYTE, MEBIBYTE, MEBIBYTE]));
    expectChunks([...first!, ...second!]);
    await download(first![0]!);
    expect(new Set(reads.map(({ name }) => name)).size).toBe(2);
    await download(...first!, ...second!);
  });

  test('is read by ranges without an announcement, and where requests cost nothing', async () => {
    const [chunks] = await packsOf(Array.from({ length: 6 }, () => MEBIBYTE));
    for (const chunk of chunks!.slice(0, 3)) await download(chunk);
    Object.assign(storage, { listsAtNoCost: true });
    expectChunks(chunks!);
    for (const chunk of chunks!.slice(3)) await download(chunk);
    expect(reads).toHaveLength(6);
  });
});

describe('a pack of which little is going to be requested', () => {
  test('is read where the chunks are', async () => {
    const [chunks] = await packsOf(Array.from({ length: 14 }, () => MEBIBYTE));
    const wanted = [chunks![0]!, chunks![1]!, chunks![8]!];
    expectChunks(wanted);
    for (const chunk of wanted) await download(chunk);
    expect(reads.map(({ bytes }) => Math.round(bytes / MEBIBYTE))).toEqual([2, 1]);
  });
});

describe('a chunk that is requested again', () => {
  test('is read anew, since it was damaged', async () => {
    const [chunks] = await packsOf([MEBIBYTE, MEBIBYTE, MEBIBYTE]);
    expectChunks(chunks!);
    await download(chunks![0]!);
    await download(chunks![0]!);
    expect(reads).toHaveLength(2);
  });
});

describe('a window that cannot be read', () => {
  test('leaves its chunks to reads of their own', async () => {
    const [chunks] = await packsOf([MEBIBYTE, MEBIBYTE, MEBIBYTE]);
    expectChunks(chunks!);
    const { get } = storage;
    let calls = 0;
    storage.get = async (name, range, signal) => {
      calls += 1;
      if (calls === 1) throw new Error('broken');
      return await get(name, range, signal);
    };
    for (const chunk of chunks!) await download(chunk);
    expect(reads).toHaveLength(3);
  });
});

describe('chunks that are requested in another order than they are stored', () => {
  test('are soon read by themselves', async () => {
    const packs = await packsOf(...Array.from({ length: 20 }, () => Array.from({ length: 10 }, () => 10_000)));
    const windows = new PackWindows(computer.repository, () => true, 300_000);
    const { projection } = computer.repository;
    for (let index = 0; index < 10; index += 1) {
      for (const chunks of packs) await windows.read(projection.packs.locate(chunks[index]!.digest)[0]!);
    }
    expect(reads.length).toBeGreaterThan(3);
    expect(reads.length).toBeLessThan(10);
  });
});
