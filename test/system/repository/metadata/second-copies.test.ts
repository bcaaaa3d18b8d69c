import { mkdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { packName } from '../../../../src/format/repository/file-names.ts';
import type { Point } from '../../../../src/repository/projection/points.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';
import { Computer, Place, StepClock } from '../check/world.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let destination: string;
let computer: Computer;
/** Of the first run. */
let point: Point;

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
  computer.write('one.bin', seededBytes(5_000, 'one'));
  await computer.backUp();
  [point] = computer.repository.projection.points.all() as [Point];
  computer.write('two.bin', seededBytes(5_000, 'two'));
  await computer.backUp();
  return async () => {
    await computer.close();
    place[Symbol.dispose]();
  };
});

const packsWith = (digest: Uint8Array, { repository }: Computer = computer): number =>
  repository.projection.packs.packsWith(digest).length;

/** Deletes the pack that has the second copies of a run. */
function loseSecondCopies({ tree }: Point): void {
  const { packs } = computer.repository.projection;
  const copy = packs.locate(tree).find(({ pack }) => packs.find(pack)!.blobs.every(({ kind }) => kind !== 'data'));
  rmSync(place.path('destination', packName(copy!.packHash)));
}

describe('metadata of which a pack is lost', () => {
  test('is stored once more by the next run, also that of other restore points', async () => {
    expect(packsWith(point.tree)).toBe(2);
    loseSecondCopies(point);
    await computer.backUp();
    expect(packsWith(point.tree)).toBe(2);
    expect(packsWith(point.envelope!)).toBe(2);
  });

  test('is stored once more by another computer, also when the first one has gone', async () => {
    loseSecondCopies(point);
    const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
    other.write('three.bin', seededBytes(5_000, 'three'));
    // The first comparison finds the loss.
    await other.backUp();
    await other.backUp();
    expect(packsWith(point.tree, other)).toBe(2);
    await other.close();
  });

  test('is left alone when no restore point needs it', async () => {
    await computer.repository.append(() => [{ kind: 'removed', points: [point.id], trees: [point.tree] }]);
    loseSecondCopies(point);
    await computer.backUp();
    expect(packsWith(point.tree)).toBe(1);
  });

  test('costs no request for the footers of trees from the second run on', async () => {
    await computer.repository.append(() => [{ kind: 'removed', points: [point.id], trees: [point.tree] }]);
    loseSecondCopies(point);
    await computer.backUp();
    const { storage } = computer.repository;
    const get = storage.get.bind(storage);
    const read: string[] = [];
    storage.get = async (name, range, signal) => {
      if (name.startsWith('packs/')) read.push(name);
      return await get(name, range, signal);
    };
    await computer.backUp();
    // Only that of the run between is new.
    expect(read).toHaveLength(1);
  });
});
