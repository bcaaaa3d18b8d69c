import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import { formatTimestamp } from '../../../../src/protocol/timestamp.ts';
import { Computer, filesIn, Place, StepClock } from './world.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let alpha: Computer;
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
  alpha = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
  alpha.write('one.bin', seededBytes(500_000, 'one'));
  await alpha.backUp();
  return async () => {
    await alpha.close();
    place[Symbol.dispose]();
  };
});

function at(name: string): string {
  return place.path('destination', name);
}

function names(folder: string): string[] {
  return filesIn(destination).filter((name) => name.startsWith(folder));
}

/** Makes every file older than a backup that may be running. */
function age(): void {
  const before = (Date.now() - 10 * 24 * 3_600_000) / 1000;
  for (const name of filesIn(destination)) utimesSync(at(name), before, before);
}

async function newComputer(name: string): Promise<Computer> {
  const computer = await Computer.setUp(place.path(name), destination, { pool, clock });
  onTestFinished(() => computer.close());
  return computer;
}

function lostPoint(): object {
  return expect.objectContaining({ device: alpha.id, set: 'documents', path: undefined });
}

/**
 * Backs up on a computer that is killed before it writes its segment.
 *
 * @param isLost whether a pack does not reach the destination
 */
async function killBackup(computer: Computer, isLost: (pack: number) => boolean = () => false): Promise<void> {
  const { storage } = computer.repository;
  const put = storage.put.bind(storage);
  let packs = 0;
  storage.put = async (name, parts, signal) => {
    if (name.startsWith('ledger/')) throw new Error('killed');
    if (name.startsWith('packs/') && isLost(packs++)) return 'created';
    return await put(name, parts, signal);
  };
  await expect(computer.backUp()).rejects.toThrow('killed');
  storage.put = put;
}

describe('a backup that was killed between its last pack and its segment', () => {
  beforeEach(async () => {
    alpha.write('two.bin', seededBytes(300_000, 'two'));
    await killBackup(alpha);
    age();
  });

  test('is no damage to another computer, and is named', async () => {
    const report = await (await newComputer('beta')).check(100);
    expect(isSound(report)).toBe(true);
    expect(report).toMatchObject({ findings: [], losses: [], points: 1, unnamed: { files: 2 } });
    expect(report.unfinished).toEqual([
      { device: alpha.id, deviceName: 'alpha', set: 'documents', time: expect.any(String) },
    ]);
  });

  test('leaves its packs to the next one', async () => {
    const before = names('packs/');
    await alpha.backUp();
    expect(names('packs/').filter((name) => !before.includes(name))).toHaveLength(2);
    const report = await (await newComputer('beta')).check(100);
    expect(report).toMatchObject({ findings: [], losses: [], points: 2, unfinished: [], unnamed: { files: 0 } });
  });
});

describe('a backup that ended before all its packs were stored', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) alpha.write(`${name}.bin`, seededBytes(12_000_000, name));
    await killBackup(alpha, (pack) => pack === 0);
    expect(names('packs/').length).toBeGreaterThan(1);
    age();
  });

  test('is no restore point, also after a repair by its computer', async () => {
    const { recoveredPoints, after } = await alpha.repair();
    expect(recoveredPoints).toEqual([]);
    expect(after).toMatchObject({ findings: [], losses: [], points: 1 });
    // What was stored of it counts for the next one.
    const before = names('packs/').length;
    await alpha.backUp();
    // The lost pack, and the new tree in two packs.
    expect(names('packs/').length - before).toBeLessThanOrEqual(3);
    const report = await (await newComputer('beta')).check(100);
    expect(report).toMatchObject({ findings: [], losses: [], points: 2, unfinished: [] });
  });

  test('comes back with its losses by a repair of another one, for which it may have lost its segment and a pack', async () => {
    const { recoveredPoints, after } = await (await newComputer('beta')).repair();
    expect(recoveredPoints).toHaveLength(1);
    expect(after.points).toBe(2);
    expect(after.losses.length).toBeGreaterThan(0);
  });
});

describe('a backup whose packs all reached the destination', () => {
  test('is one after a repair if everything reached the destination', async () => {
    alpha.write('two.bin', seededBytes(300_000, 'two'));
    await killBackup(alpha);
    age();
    const { recoveredPoints, after } = await (await newComputer('beta')).repair();
    expect(recoveredPoints).toHaveLength(1);
    expect(after).toMatchObject({ findings: [], losses: [], points: 2 });
  });
});

describe('a pack of which the segment is lost', () => {
  test('is damage when another segment shows it', async () => {
    const [first] = names('ledger/');
    alpha.write('two.bin', seededBytes(300_000, 'two'));
    await alpha.backUp();
    rmSync(at(first!));
    age();
    const { findings, losses, unfinished } = await (await newComputer('beta')).check();
    expect(findings.map(({ problem }) => problem).toSorted()).toEqual(['missing', 'unnamed', 'unnamed']);
    expect(losses).toContainEqual(lostPoint());
    expect(unfinished).toEqual([]);
  });

  test('is damage when a later tree continues that of its restore point, also after a repair', async () => {
    const packs = names('packs/');
    const [segment] = names('ledger/');
    const [point] = alpha.repository.projection.points.all();
    alpha.write('two.bin', seededBytes(300_000, 'two'));
    await alpha.backUp();
    for (const [index, pack] of packs.entries()) renameSync(at(pack), place.path(`away-${index}`));
    rmSync(at(segment!));
    const beta = await newComputer('beta');
    await beta.repair();
    for (const [index, pack] of packs.entries()) renameSync(place.path(`away-${index}`), at(pack));
    age();
    const gamma = await newComputer('gamma');
    const { findings, losses } = await gamma.check();
    expect(findings).toEqual(packs.map((file) => ({ file, problem: 'unnamed' })));
    expect(losses).toContainEqual(lostPoint());
    const { recoveredPoints, after } = await gamma.repair();
    expect(recoveredPoints).toHaveLength(1);
    expect(formatTimestamp(point!.time) >= recoveredPoints[0]!.time).toBe(true);
    expect(isSound(after)).toBe(true);
  });
});
