import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../../src/engine/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { oddTree } from '../../helpers/tree/odd-tree.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

describe('a restore of everything odd', () => {
  it.each([false, true])('equals the source (private names: %s)', async (privateNames) => {
    await buildTree(world.source, oddTree(world.source));
    await world.backup({ privateNames });
    const report = await world.restore();
    expect(report.failures).toEqual([]);
    expect(report.warnings).toEqual([]);
    expect(await compareTrees(world.source, join(world.target, 'source'), { withoutSpecial: true })).toEqual([]);
  });
});
