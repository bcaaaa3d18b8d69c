import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { LiveChunks } from '../../../../src/repository/collect/live-chunks.ts';
import { TreeChunks } from '../../../../src/repository/collect/tree-chunks.ts';
import type { ByteRange } from '../../../../src/storage/storage.ts';
import { Computer, Place, StepClock } from '../check/world.ts';

let pool: WorkerPool;
let place: Place;
let computer: Computer;

beforeAll(() => {
  pool = new WorkerPool(2);
});

afterAll(() => pool.close());

beforeEach(async () => {
  place = new Place();
  const destination = place.path('destination');
  mkdirSync(destination);
  const clock = new StepClock();
  computer = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
  for (let index = 0; index < FILES; index += 1) computer.write(`file-${index}`, `content of file ${index}`);
  await computer.backUp();
  return async () => {
    await computer.close();
    place[Symbol.dispose]();
  };
});

const FILES = 1_500;

/** Digests of the blobs of all packs, in hex: in this repository every one is needed. */
function stored(): string[] {
  const digests = [...computer.repository.projection.packs.stored()].flatMap(({ blobs }) =>
    blobs.map(({ digest }) => Buffer.from(digest).toString('hex')),
  );
  return [...new Set(digests)].toSorted();
}

/** Finds what all restore points need. */
async function find(): Promise<string[]> {
  const live = new LiveChunks(new TreeChunks(computer.repository));
  await live.addAll(computer.repository.projection.points.all());
  return [...live.digests].map((digest) => Buffer.from(digest).toString('hex')).toSorted();
}

/** Ranges that are read from now on. `alter` changes what the second one returns: the first is the footer. */
function watchReads(alter: (bytes: Uint8Array) => Uint8Array | undefined = (bytes) => bytes): ByteRange[] {
  const { storage } = computer.repository;
  const get = storage.get.bind(storage);
  const ranges: ByteRange[] = [];
  storage.get = async (name, range, signal) => {
    const bytes = await get(name, range, signal);
    if (!range || !bytes) return bytes;
    ranges.push(range);
    return ranges.length === 2 ? alter(bytes) : bytes;
  };
  return ranges;
}

async function pieces(): Promise<number> {
  const [point] = computer.repository.projection.points.all();
  return (await new TreeChunks(computer.repository).piecesOf(point!.tree)).length;
}

describe('the chunks that the pieces of a tree need', () => {
  test('are read with one request when the pieces are neighbours', async () => {
    expect(await pieces()).toBeGreaterThan(2);
    const ranges = watchReads();
    expect(await find()).toEqual(stored());
    // The footer, and all pieces.
    expect(ranges).toHaveLength(2);
  });

  test('are remembered', async () => {
    const first = await find();
    const ranges = watchReads();
    expect(await find()).toEqual(first);
    expect(ranges).toHaveLength(1);
  });

  test.each([
    ['is damaged', (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1)],
    ['ends early', (bytes: Uint8Array) => bytes.subarray(0, 10)],
    ['has no file', () => undefined],
  ])('are read piece by piece when the common part %s', async (_what, alter) => {
    const count = await pieces();
    const ranges = watchReads(alter);
    expect(await find()).toEqual(stored());
    expect(ranges).toHaveLength(2 + count);
  });

  test('are read by themselves when the chunks of a piece are not in one part of a pack', async () => {
    const { packs } = computer.repository.projection;
    const locateAll = packs.locateAll.bind(packs);
    let calls = 0;
    packs.locateAll = (digests) => {
      calls += 1;
      // After that of the footer, the first one is of the first piece.
      return calls === 2 ? digests.map(() => []) : locateAll(digests);
    };
    const ranges = watchReads();
    expect(await find()).toEqual(stored());
    // The footer, the first piece, and the others.
    expect(ranges).toHaveLength(3);
  });
});
