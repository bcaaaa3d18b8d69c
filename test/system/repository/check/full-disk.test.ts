import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import { RESERVE_FILE } from '../../../../src/format/repository/file-names.ts';
import { Computer, filesIn, Place, StepClock } from './world.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';
import { sampled } from '../../../helpers/thorough.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let alpha: Computer;
let beta: Computer;
let destination: string;

beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());

/** Two computers with a restore point each. */
beforeEach(async () => {
  place = new Place();
  clock = new StepClock();
  destination = place.path('destination');
  mkdirSync(destination);
  alpha = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
  beta = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  for (const computer of [alpha, beta]) {
    computer.write('one.bin', seededBytes(500_000, computer === alpha ? 'one' : 'other'));
    await computer.backUp();
  }
  return async () => {
    await alpha.close();
    await beta.close();
    place[Symbol.dispose]();
  };
});

/** Backs up while the disk takes no more than some bytes, or nothing that is larger than some. */
async function backUpWithoutSpace(computer: Computer, takes: (bytes: number) => boolean): Promise<boolean> {
  const { storage } = computer.repository;
  const put = storage.put.bind(storage);
  let isFull = false;
  storage.put = async (name, parts, signal) => {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (takes(bytes)) return await put(name, parts, signal);
    isFull = true;
    throw new HoldfastError('destination_full', { directory: destination });
  };
  try {
    await computer.backUp();
    expect(isFull).toBe(false);
  } catch (error) {
    expect(error).toMatchObject({ code: 'destination_full' });
  } finally {
    storage.put = put;
  }
  return isFull;
}

/** Makes every file older than a backup that may be running. */
function age(): void {
  const before = (Date.now() - 10 * 24 * 3_600_000) / 1000;
  for (const name of filesIn(destination)) utimesSync(place.path('destination', name), before, before);
}

describe.each([
  ['while that backup may still be running', () => undefined],
  ['days later', age],
])('a repair of another computer %s', (_when, wait) => {
  test.each(
    sampled(
      [
        ['has space for nothing more', () => () => false],
        ['has space for 10 MB', () => within(10_000_000)],
        ['has space for 20 MB', () => within(20_000_000)],
        ['has space for 30 MB', () => within(30_000_000)],
        ['takes small files only', () => (bytes: number) => bytes < 1_000_000],
      ] as const,
      2,
    ),
  )('after a backup to a disk that %s moves and recovers nothing, and both go on', async (_space, takes) => {
    for (const name of ['a', 'b', 'c']) alpha.write(`${name}.bin`, seededBytes(12_000_000, name));
    expect(await backUpWithoutSpace(alpha, takes())).toBe(true);
    wait();
    const repaired = await beta.repair();
    expect(repaired).toMatchObject({ recoveredPoints: [], lostPoints: [] });
    expect(repaired.after).toMatchObject({ findings: [], losses: [], points: 2 });
    expect(filesIn(destination).filter((name) => name.startsWith('damaged/'))).toEqual([]);

    await beta.backUp();
    await alpha.backUp();
    const gamma = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
    onTestFinished(() => gamma.close());
    const report = await gamma.check(100);
    expect(isSound(report)).toBe(true);
    expect(report).toMatchObject({ findings: [], losses: [], points: 4, unfinished: [] });
  });
});

function within(space: number): (bytes: number) => boolean {
  let left = space;
  return (bytes) => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
}

/** Files of a disk of its own: root, outside of most containers. */
function resized(megabytes: number, options = ''): boolean {
  const words = ['-t', 'tmpfs', '-o', `${options}size=${megabytes}m`, 'tmpfs', destination];
  return spawnSync('mount', words, { stdio: 'ignore' }).status === 0;
}

test('a repair of a full disk takes the reserve to say what is lost, so that space can be freed', async () => {
  await alpha.repository.reserve.keep();
  const lost = filesIn(destination).find((name) => name.startsWith('packs/'))!;
  rmSync(place.path('destination', lost));
  const { storage } = beta.repository;
  const put = storage.put.bind(storage);
  storage.put = async (name, parts, signal) => {
    // It has just the room of the reserve.
    if (!existsSync(place.path('destination', RESERVE_FILE))) return await put(name, parts, signal);
    throw new HoldfastError('destination_full', { directory: destination });
  };
  expect((await beta.repair()).files).toContainEqual({ file: lost, outcome: 'missing' });
  // The pack may be one with contents, which are lost: that is said, and nothing is damaged any more.
  expect((await alpha.check(100)).findings).toEqual([]);
});

test('a disk that is really full in the middle of a write costs a repair of another computer nothing', async (context) => {
  destination = place.path('small disk');
  mkdirSync(destination);
  if (!resized(16)) return context.skip();
  using _mounted = { [Symbol.dispose]: () => void spawnSync('umount', ['-l', destination]) };
  const writer = await Computer.setUp(place.path('writer'), destination, { pool, clock, isNew: true });
  await using _writer = { [Symbol.asyncDispose]: () => writer.close() };
  writer.write('one.bin', seededBytes(500_000, 'one'));
  await writer.backUp();
  const other = await Computer.setUp(place.path('other'), destination, { pool, clock });
  await using _other = { [Symbol.asyncDispose]: () => other.close() };
  for (const name of ['a', 'b']) writer.write(`${name}.bin`, seededBytes(12_000_000, name));
  await expect(writer.backUp()).rejects.toMatchObject({ code: 'destination_full' });
  // Still full: a repair may say so, and breaks nothing.
  await other.repair().catch((error: unknown) => expect(error).toMatchObject({ code: 'destination_full' }));
  expect(resized(100, 'remount,')).toBe(true);
  expect(await other.repair()).toMatchObject({
    recoveredPoints: [],
    lostPoints: [],
    after: { findings: [], losses: [], points: 1 },
  });
  await writer.backUp();
  expect(await other.check(100)).toMatchObject({ findings: [], losses: [], points: 2, unfinished: [] });
});
