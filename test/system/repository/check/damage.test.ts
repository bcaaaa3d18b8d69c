import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { DamagedWorld, type Damage } from './damaged-world.ts';
import { Place } from './world.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const DAMAGES: readonly Damage[] = ['removed', 'altered', 'truncated'];
/** `HOLDFAST_LOSSES=500 npx vitest run test/system/repository/check/damage.test.ts` tries more, and each damage of each file. */
const MANY = process.env['HOLDFAST_LOSSES'];
const LOSSES = Number(MANY ?? orThorough(8, 30));

const pool = new WorkerPool(2);
const place = new Place();
let world: DamagedWorld;

beforeAll(async () => {
  world = await DamagedWorld.create(place, pool);
}, 60_000);

afterAll(async () => {
  await pool.close();
  place[Symbol.dispose]();
});

async function tryAll(cases: readonly { files: ReadonlyMap<string, Damage>; position?: number }[]): Promise<string[]> {
  const limit = pLimit(4);
  return (await Promise.all(cases.map(({ files, position }) => limit(() => world.try(files, position))))).flat();
}

describe('a repository on a new computer', () => {
  test.each(DAMAGES)('restores what a file did not hold and names the rest if that is %s', async (damage) => {
    // Each file has one of the damages.
    const files = world.files.filter(
      (_, index) => MANY !== undefined || index % orThorough(6, 3) === DAMAGES.indexOf(damage),
    );
    expect(files.length).toBeGreaterThan(2);
    expect(await tryAll(files.map((file) => ({ files: new Map([[file, damage]]) })))).toEqual([]);
  });

  test('restores what several files did not hold, and names the rest', async () => {
    const random = seeded(1);
    const cases = Array.from({ length: LOSSES }, () => {
      const share = 0.1 + 0.4 * random();
      const files = world.files.filter(() => random() < share);
      const position = random();
      return { files: new Map(files.map((file) => [file, DAMAGES[Math.floor(3 * random())]!])), position };
    });
    expect(await tryAll(cases)).toEqual([]);
  });
});

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
